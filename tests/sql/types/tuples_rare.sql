-- { echoOn }
SELECT untuple((1, 'a'));
SELECT tupleConcat((1, 2), ('a',)), tuplePlus((1, 2), (3, 4)), (1, 2) + (10, 20), tupleMultiplyByNumber((1, 2), 3), dotProduct((1, 2), (3, 4));
