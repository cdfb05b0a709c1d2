-- { echoOn }
SELECT $$no 'escape' needed$$, $tag$a $$ b$tag$;
