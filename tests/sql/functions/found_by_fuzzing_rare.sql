-- { echoOn }
select cityHash64(toDateTime64('2020-01-01 00:00:00.5',1,'UTC'));
select cityHash64(toDecimal64(1,2)), cityHash64(toDecimal128(1,2)), sipHash64(toDecimal32(1,2)), xxHash64(toDecimal64(1,2)), farmHash64(toDecimal64(1,2)), murmurHash3_64(toDecimal32(1,2));
select cityHash64([toDecimal64(1,2)]), cityHash64((toDecimal64(1,2),1)), cityHash64(toNullable(toDecimal64(1,2)));
select cityHash64(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')), sipHash64(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')), cityHash64(CAST('a' as Enum8('a'=1))), cityHash64(toDate32('2020-01-01')), cityHash64(interval 1 day);
select cityHash64(map('a',1)), sipHash64(map()), xxHash32('a'), murmurHash2_32('a'), javaHash('a'), hiveHash('a'), MD5('a')=unhex('0cc175b9c0f1b6a831c399e269772661');
select toDateTime(materialize(toDateTime64('1969-12-31 23:59:59.999',3,'UTC')),'UTC');
select toDate(materialize(toDateTime64('1969-12-31 23:59:59.999',3,'UTC')));
select toDate(materialize(toDate32('1960-01-01')));
select toDateTime(materialize(toDate32('1960-01-01')),'UTC');
select toDateTime(materialize(toDate32('2200-01-01')),'UTC');
select toDate(materialize(toDate32('2200-01-01')));
select toDate(materialize(toDateTime64('2200-01-01 00:00:00',3,'UTC')));
select toDateTime(materialize(toDateTime64('2200-01-01 00:00:00',3,'UTC')),'UTC');
select toDate(toDateTime64('1960-12-31 23:59:59.999',3,'UTC')), toDate(toDateTime64('1969-12-30 23:59:59.999',3,'UTC'));
select toTypeName([true,toUInt8(5)]), [true,toUInt8(5)];
select toTypeName(if(number=1,true,toUInt8(5))), if(number=1,true,toUInt8(5)) from numbers(2) order by number;
select toTypeName(multiIf(number=1,true,toUInt8(5))), multiIf(number=1,true,toUInt8(5)) from numbers(2) order by number;
select toTypeName([true,toInt8(5)]), toTypeName([true,1.5]), toTypeName(ifNull(toNullable(true),toUInt8(5))), coalesce(toNullable(true),toUInt8(5));
select toTypeName(ifNull(materialize(toUInt64(1)),-1)), toTypeName(coalesce(1.5,toDecimal32(1,2)));
select count() from (select toInt32(-1) as x) l join (select toUInt64(18446744073709551615) as x) r on l.x=r.x;
select count() from (select true as x) l join (select toUInt8(200) as x) r on l.x=r.x;
select 200 in (true), true in (200), toUInt8(200)=true;
select count() from (select toInt64(-1) as x) l join (select toUInt64(18446744073709551615) as x) r using x;
select * from (select toInt64(5) as x) l join (select toUInt64(5) as x) r using x;
select * from (select toFloat64(5) as x) l join (select toUInt64(5) as x) r on l.x=r.x; -- { serverError NO_COMMON_TYPE }
select * from (select toDecimal32(5,2) as x) l join (select toUInt64(5) as x) r on l.x=r.x;
select * from (select '5' as x) l join (select 5 as x) r on l.x=r.x; -- { serverError NO_COMMON_TYPE }
select * from (select toDate('2020-01-01') as x) l join (select toDateTime('2020-01-01 00:00:00','UTC') as x) r on l.x=r.x;
select arrayFilter(x -> x > 0, []);
select arrayMap(x -> x + 1, []);
select arrayMap(x -> x + 1, []) from numbers(2) order by number;
select arrayFilter(x -> x > 1, []) c, arrayPushBack(arrayFilter(x -> x > 1, []), 1) from numbers(2) order by number;
select arraySort(x -> -x, []), arrayExists(x -> x>1, []), arraySum(x->x+1,[]), arrayFirst(x->x>1,[]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
select arrayReduceInRanges('sum',[(1,2),(2,3),(-2,2),(0,2),(5,1),(1,100),(-10,3),(-10,12),(1,0)],[1,2,3,4]);
select arrayReduceInRanges('avg',[(1,number)],[1,2,3]), arrayReduceInRanges('uniq',[],[1]) from numbers(4) order by number; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
select arrayReduceInRanges('sumIf',[(1,2)],[1,2,3],[1,0,1]);
select arrayReduceInRanges('sum',[1,2],[1,2]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
select anyHeavy(number%3), anyHeavy(if(number<7,'a','b')), anyHeavy(toNullable(number)) from numbers(10) settings max_threads=1;
select anyHeavy(x) from (select arrayJoin([1,2,2,3,2]) x) settings max_threads=1;
select anyHeavy(number) from numbers(0);
select finalizeAggregation(anyHeavyState(number)), hex(anyHeavyState(number%2)), anyHeavyIf(number,number>3) from numbers(5) settings max_threads=1;
select anyHeavyMerge(s) from (select anyHeavyState(number%2) s from numbers(5) group by number%3 order by number%3) settings max_threads=1;
select toTypeName(if(number=1,100,b)), toTypeName(if(number=1,b,100)), toTypeName([toUInt8(5),true]), toTypeName([true, toUInt8(5)]) from (select true as b, number from numbers(1));
select toDecimal32(2,9), toDecimal64(9,18), CAST(2 as Decimal(5,5));
select toDecimal32(3,9); -- { serverError DECIMAL_OVERFLOW }
select avg(x) from (select arrayJoin([7.5, 7.8, 3.1]::Array(Decimal(9, 2))) as x);
select hex(toDecimal32(1.5,2)), hex(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')), sqrt(toDecimal32(4,2)), pow(toDecimal32(2,1),2), log(toDecimal32(1,2));
select coalesce(nullIf(1, 1), 1.5::Decimal(9,2)), ifNull(toUInt64(1), -1), coalesce(1.5, toDecimal32(1,2));
select sumIfIf(number, 1, 1) from numbers(3); -- { serverError ILLEGAL_AGGREGATION }
select arrayJoin(map('a', 1, 'b', 2)) as x order by x;
select max(hex(NULL)), countIf(NULL IN ('a')) from numbers(3) group by number % 2 with totals order by 1;
select sumOrNullOrNull(number), sumArrayArray([[number]]) from numbers(2);
select (not (b and ns='a') or has(sa, s)) from (select materialize(true) as b, materialize('a'::Nullable(String)) as ns, materialize(['a']) sa, materialize('a') s);
