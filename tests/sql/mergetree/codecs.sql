-- { fixedEngine }
-- CODEC lists: how they are shown, and which are refused.

CREATE TABLE t1 (k UInt8, c UInt32 CODEC(NONE)) ENGINE = MergeTree ORDER BY k;
SELECT 1, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't1' AND name = 'c';
CREATE TABLE t2 (k UInt8, c UInt32 CODEC(LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 2, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't2' AND name = 'c';
CREATE TABLE t3 (k UInt8, c UInt32 CODEC(LZ4HC)) ENGINE = MergeTree ORDER BY k;
SELECT 3, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't3' AND name = 'c';
CREATE TABLE t4 (k UInt8, c UInt32 CODEC(LZ4HC(9))) ENGINE = MergeTree ORDER BY k;
SELECT 4, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't4' AND name = 'c';
CREATE TABLE t5 (k UInt8, c UInt32 CODEC(LZ4HC(13))) ENGINE = MergeTree ORDER BY k;
SELECT 5, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't5' AND name = 'c';
CREATE TABLE t6 (k UInt8, c UInt32 CODEC(ZSTD)) ENGINE = MergeTree ORDER BY k;
SELECT 6, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't6' AND name = 'c';
CREATE TABLE t7 (k UInt8, c UInt32 CODEC(ZSTD(5))) ENGINE = MergeTree ORDER BY k;
SELECT 7, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't7' AND name = 'c';
CREATE TABLE t8 (k UInt8, c UInt32 CODEC(ZSTD(23))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 8, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't8' AND name = 'c';
CREATE TABLE t9 (k UInt8, c UInt32 CODEC(ZSTD(1, 24))) ENGINE = MergeTree ORDER BY k;
SELECT 9, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't9' AND name = 'c';
CREATE TABLE t10 (k UInt8, c UInt32 CODEC(ZSTD(1,10))) ENGINE = MergeTree ORDER BY k;
SELECT 10, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't10' AND name = 'c';
CREATE TABLE t11 (k UInt8, c UInt32 CODEC(Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 11, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't11' AND name = 'c';
CREATE TABLE t12 (k UInt8, c UInt32 CODEC(Delta(4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 12, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't12' AND name = 'c';
CREATE TABLE t13 (k UInt8, c UInt32 CODEC(Delta(3))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 13, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't13' AND name = 'c';
CREATE TABLE t14 (k UInt8, c UInt32 CODEC(DoubleDelta)) ENGINE = MergeTree ORDER BY k;
SELECT 14, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't14' AND name = 'c';
CREATE TABLE t15 (k UInt8, c UInt32 CODEC(DoubleDelta(4))) ENGINE = MergeTree ORDER BY k;
SELECT 15, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't15' AND name = 'c';
CREATE TABLE t16 (k UInt8, c UInt32 CODEC(Gorilla)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 16, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't16' AND name = 'c';
CREATE TABLE t17 (k UInt8, c UInt32 CODEC(Gorilla(4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 17, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't17' AND name = 'c';
CREATE TABLE t18 (k UInt8, c UInt32 CODEC(FPC)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 18, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't18' AND name = 'c';
CREATE TABLE t19 (k UInt8, c UInt32 CODEC(FPC(12))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 19, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't19' AND name = 'c';
CREATE TABLE t20 (k UInt8, c UInt32 CODEC(FPC(12,4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 20, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't20' AND name = 'c';
CREATE TABLE t21 (k UInt8, c UInt32 CODEC(FPC(30))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 21, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't21' AND name = 'c';
CREATE TABLE t22 (k UInt8, c UInt32 CODEC(GCD)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 22, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't22' AND name = 'c';
CREATE TABLE t23 (k UInt8, c UInt32 CODEC(GCD(4))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 23, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't23' AND name = 'c';
CREATE TABLE t24 (k UInt8, c UInt32 CODEC(T64)) ENGINE = MergeTree ORDER BY k;
SELECT 24, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't24' AND name = 'c';
CREATE TABLE t25 (k UInt8, c UInt32 CODEC(T64('bit'))) ENGINE = MergeTree ORDER BY k;
SELECT 25, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't25' AND name = 'c';
CREATE TABLE t26 (k UInt8, c UInt32 CODEC(T64('byte'))) ENGINE = MergeTree ORDER BY k;
SELECT 26, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't26' AND name = 'c';
CREATE TABLE t27 (k UInt8, c UInt32 CODEC(T64('x'))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 27, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't27' AND name = 'c';
CREATE TABLE t28 (k UInt8, c UInt32 CODEC(Default)) ENGINE = MergeTree ORDER BY k;
SELECT 28, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't28' AND name = 'c';
CREATE TABLE t29 (k UInt8, c UInt32 CODEC(Default, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 29, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't29' AND name = 'c';
CREATE TABLE t36 (k UInt8, c UInt32 CODEC(Delta, LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 36, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't36' AND name = 'c';
CREATE TABLE t37 (k UInt8, c UInt32 CODEC(Delta, Default)) ENGINE = MergeTree ORDER BY k;
SELECT 37, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't37' AND name = 'c';
CREATE TABLE t38 (k UInt8, c UInt32 CODEC(LZ4, Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 38, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't38' AND name = 'c';
CREATE TABLE t39 (k UInt8, c UInt32 CODEC(Delta, Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 39, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't39' AND name = 'c';
CREATE TABLE t40 (k UInt8, c UInt32 CODEC(Delta, DoubleDelta, LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 40, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't40' AND name = 'c';
CREATE TABLE t41 (k UInt8, c UInt32 CODEC(DoubleDelta, Gorilla)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 41, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't41' AND name = 'c';
CREATE TABLE t42 (k UInt8, c UInt32 CODEC(NONE, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 42, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't42' AND name = 'c';
CREATE TABLE t43 (k UInt8, c UInt32 CODEC(LZ4, ZSTD)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 43, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't43' AND name = 'c';
CREATE TABLE t44 (k UInt8, c UInt32 CODEC(Foo)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 44, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't44' AND name = 'c';
CREATE TABLE t45 (k UInt8, c UInt32 CODEC(LZ4(3))) ENGINE = MergeTree ORDER BY k; -- { serverError DATA_TYPE_CANNOT_HAVE_ARGUMENTS }
SELECT 45, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't45' AND name = 'c';
CREATE TABLE t46 (k UInt8, c UInt32 CODEC(NONE(1))) ENGINE = MergeTree ORDER BY k; -- { serverError DATA_TYPE_CANNOT_HAVE_ARGUMENTS }
SELECT 46, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't46' AND name = 'c';
CREATE TABLE t47 (k UInt8, c UInt32 CODEC(Delta(4), T64)) ENGINE = MergeTree ORDER BY k;
SELECT 47, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't47' AND name = 'c';
CREATE TABLE t48 (k UInt8, c UInt32 CODEC(T64, LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 48, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't48' AND name = 'c';
CREATE TABLE t49 (k UInt8, c UInt32 CODEC(GCD, LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 49, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't49' AND name = 'c';
CREATE TABLE t50 (k UInt8, c UInt32 CODEC(FPC, ZSTD(3))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 50, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't50' AND name = 'c';
CREATE TABLE t51 (k UInt8, c UInt32 CODEC(Gorilla, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 51, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't51' AND name = 'c';
CREATE TABLE t52 (k UInt8, c UInt32 CODEC(Delta(1), ZSTD(1))) ENGINE = MergeTree ORDER BY k;
SELECT 52, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't52' AND name = 'c';
CREATE TABLE t53 (k UInt8, c UInt32 CODEC(lz4)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 53, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't53' AND name = 'c';
CREATE TABLE t58 (k UInt8, c UInt32 CODEC(Delta(8), LZ4HC(3))) ENGINE = MergeTree ORDER BY k;
SELECT 58, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't58' AND name = 'c';
CREATE TABLE t60 (k UInt8, c UInt32 CODEC(ZSTD(-1))) ENGINE = MergeTree ORDER BY k;
SELECT 60, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't60' AND name = 'c';
CREATE TABLE t61 (k UInt8, c UInt32 CODEC(ZSTD(0))) ENGINE = MergeTree ORDER BY k;
SELECT 61, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't61' AND name = 'c';
CREATE TABLE t62 (k UInt8, c UInt32 CODEC(LZ4HC(0))) ENGINE = MergeTree ORDER BY k;
SELECT 62, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't62' AND name = 'c';
CREATE TABLE t63 (k UInt8, c UInt32 CODEC(Delta())) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 63, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't63' AND name = 'c';
CREATE TABLE t64 (k UInt8, c UInt32 CODEC(Delta(1,2))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 64, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't64' AND name = 'c';
CREATE TABLE t65 (k UInt8, c UInt32 CODEC(NULL)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 65, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't65' AND name = 'c';
CREATE TABLE t66 (k UInt8, c Float32 CODEC(NONE)) ENGINE = MergeTree ORDER BY k;
SELECT 66, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't66' AND name = 'c';
CREATE TABLE t67 (k UInt8, c Float32 CODEC(LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 67, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't67' AND name = 'c';
CREATE TABLE t68 (k UInt8, c Float32 CODEC(LZ4HC)) ENGINE = MergeTree ORDER BY k;
SELECT 68, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't68' AND name = 'c';
CREATE TABLE t69 (k UInt8, c Float32 CODEC(LZ4HC(9))) ENGINE = MergeTree ORDER BY k;
SELECT 69, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't69' AND name = 'c';
CREATE TABLE t70 (k UInt8, c Float32 CODEC(LZ4HC(13))) ENGINE = MergeTree ORDER BY k;
SELECT 70, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't70' AND name = 'c';
CREATE TABLE t71 (k UInt8, c Float32 CODEC(ZSTD)) ENGINE = MergeTree ORDER BY k;
SELECT 71, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't71' AND name = 'c';
CREATE TABLE t72 (k UInt8, c Float32 CODEC(ZSTD(5))) ENGINE = MergeTree ORDER BY k;
SELECT 72, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't72' AND name = 'c';
CREATE TABLE t73 (k UInt8, c Float32 CODEC(ZSTD(23))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 73, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't73' AND name = 'c';
CREATE TABLE t74 (k UInt8, c Float32 CODEC(ZSTD(1, 24))) ENGINE = MergeTree ORDER BY k;
SELECT 74, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't74' AND name = 'c';
CREATE TABLE t75 (k UInt8, c Float32 CODEC(ZSTD(1,10))) ENGINE = MergeTree ORDER BY k;
SELECT 75, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't75' AND name = 'c';
CREATE TABLE t76 (k UInt8, c Float32 CODEC(Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 76, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't76' AND name = 'c';
CREATE TABLE t77 (k UInt8, c Float32 CODEC(Delta(4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 77, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't77' AND name = 'c';
CREATE TABLE t78 (k UInt8, c Float32 CODEC(Delta(3))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 78, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't78' AND name = 'c';
CREATE TABLE t79 (k UInt8, c Float32 CODEC(DoubleDelta)) ENGINE = MergeTree ORDER BY k;
SELECT 79, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't79' AND name = 'c';
CREATE TABLE t80 (k UInt8, c Float32 CODEC(DoubleDelta(4))) ENGINE = MergeTree ORDER BY k;
SELECT 80, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't80' AND name = 'c';
CREATE TABLE t81 (k UInt8, c Float32 CODEC(Gorilla)) ENGINE = MergeTree ORDER BY k;
SELECT 81, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't81' AND name = 'c';
CREATE TABLE t82 (k UInt8, c Float32 CODEC(Gorilla(4))) ENGINE = MergeTree ORDER BY k;
SELECT 82, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't82' AND name = 'c';
CREATE TABLE t83 (k UInt8, c Float32 CODEC(FPC)) ENGINE = MergeTree ORDER BY k;
SELECT 83, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't83' AND name = 'c';
CREATE TABLE t84 (k UInt8, c Float32 CODEC(FPC(12))) ENGINE = MergeTree ORDER BY k;
SELECT 84, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't84' AND name = 'c';
CREATE TABLE t85 (k UInt8, c Float32 CODEC(FPC(12,4))) ENGINE = MergeTree ORDER BY k;
SELECT 85, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't85' AND name = 'c';
CREATE TABLE t86 (k UInt8, c Float32 CODEC(FPC(30))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 86, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't86' AND name = 'c';
CREATE TABLE t87 (k UInt8, c Float32 CODEC(GCD)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 87, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't87' AND name = 'c';
CREATE TABLE t88 (k UInt8, c Float32 CODEC(GCD(4))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 88, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't88' AND name = 'c';
CREATE TABLE t89 (k UInt8, c Float32 CODEC(T64)) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 89, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't89' AND name = 'c';
CREATE TABLE t90 (k UInt8, c Float32 CODEC(T64('bit'))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 90, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't90' AND name = 'c';
CREATE TABLE t91 (k UInt8, c Float32 CODEC(T64('byte'))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 91, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't91' AND name = 'c';
CREATE TABLE t92 (k UInt8, c Float32 CODEC(T64('x'))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 92, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't92' AND name = 'c';
CREATE TABLE t93 (k UInt8, c Float32 CODEC(Default)) ENGINE = MergeTree ORDER BY k;
SELECT 93, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't93' AND name = 'c';
CREATE TABLE t94 (k UInt8, c Float32 CODEC(Default, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 94, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't94' AND name = 'c';
CREATE TABLE t101 (k UInt8, c Float32 CODEC(Delta, LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 101, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't101' AND name = 'c';
CREATE TABLE t102 (k UInt8, c Float32 CODEC(Delta, Default)) ENGINE = MergeTree ORDER BY k;
SELECT 102, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't102' AND name = 'c';
CREATE TABLE t103 (k UInt8, c Float32 CODEC(LZ4, Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 103, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't103' AND name = 'c';
CREATE TABLE t104 (k UInt8, c Float32 CODEC(Delta, Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 104, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't104' AND name = 'c';
CREATE TABLE t105 (k UInt8, c Float32 CODEC(Delta, DoubleDelta, LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 105, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't105' AND name = 'c';
CREATE TABLE t106 (k UInt8, c Float32 CODEC(DoubleDelta, Gorilla)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 106, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't106' AND name = 'c';
CREATE TABLE t107 (k UInt8, c Float32 CODEC(NONE, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 107, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't107' AND name = 'c';
CREATE TABLE t108 (k UInt8, c Float32 CODEC(LZ4, ZSTD)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 108, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't108' AND name = 'c';
CREATE TABLE t109 (k UInt8, c Float32 CODEC(Foo)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 109, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't109' AND name = 'c';
CREATE TABLE t110 (k UInt8, c Float32 CODEC(LZ4(3))) ENGINE = MergeTree ORDER BY k; -- { serverError DATA_TYPE_CANNOT_HAVE_ARGUMENTS }
SELECT 110, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't110' AND name = 'c';
CREATE TABLE t111 (k UInt8, c Float32 CODEC(NONE(1))) ENGINE = MergeTree ORDER BY k; -- { serverError DATA_TYPE_CANNOT_HAVE_ARGUMENTS }
SELECT 111, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't111' AND name = 'c';
CREATE TABLE t112 (k UInt8, c Float32 CODEC(Delta(4), T64)) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 112, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't112' AND name = 'c';
CREATE TABLE t113 (k UInt8, c Float32 CODEC(T64, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 113, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't113' AND name = 'c';
CREATE TABLE t114 (k UInt8, c Float32 CODEC(GCD, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 114, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't114' AND name = 'c';
CREATE TABLE t115 (k UInt8, c Float32 CODEC(FPC, ZSTD(3))) ENGINE = MergeTree ORDER BY k;
SELECT 115, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't115' AND name = 'c';
CREATE TABLE t116 (k UInt8, c Float32 CODEC(Gorilla, LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 116, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't116' AND name = 'c';
CREATE TABLE t117 (k UInt8, c Float32 CODEC(Delta(1), ZSTD(1))) ENGINE = MergeTree ORDER BY k;
SELECT 117, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't117' AND name = 'c';
CREATE TABLE t118 (k UInt8, c Float32 CODEC(lz4)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 118, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't118' AND name = 'c';
CREATE TABLE t123 (k UInt8, c Float32 CODEC(Delta(8), LZ4HC(3))) ENGINE = MergeTree ORDER BY k;
SELECT 123, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't123' AND name = 'c';
CREATE TABLE t125 (k UInt8, c Float32 CODEC(ZSTD(-1))) ENGINE = MergeTree ORDER BY k;
SELECT 125, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't125' AND name = 'c';
CREATE TABLE t126 (k UInt8, c Float32 CODEC(ZSTD(0))) ENGINE = MergeTree ORDER BY k;
SELECT 126, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't126' AND name = 'c';
CREATE TABLE t127 (k UInt8, c Float32 CODEC(LZ4HC(0))) ENGINE = MergeTree ORDER BY k;
SELECT 127, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't127' AND name = 'c';
CREATE TABLE t128 (k UInt8, c Float32 CODEC(Delta())) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 128, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't128' AND name = 'c';
CREATE TABLE t129 (k UInt8, c Float32 CODEC(Delta(1,2))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 129, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't129' AND name = 'c';
CREATE TABLE t130 (k UInt8, c Float32 CODEC(NULL)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 130, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't130' AND name = 'c';
CREATE TABLE t131 (k UInt8, c String CODEC(NONE)) ENGINE = MergeTree ORDER BY k;
SELECT 131, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't131' AND name = 'c';
CREATE TABLE t132 (k UInt8, c String CODEC(LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 132, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't132' AND name = 'c';
CREATE TABLE t133 (k UInt8, c String CODEC(LZ4HC)) ENGINE = MergeTree ORDER BY k;
SELECT 133, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't133' AND name = 'c';
CREATE TABLE t134 (k UInt8, c String CODEC(LZ4HC(9))) ENGINE = MergeTree ORDER BY k;
SELECT 134, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't134' AND name = 'c';
CREATE TABLE t135 (k UInt8, c String CODEC(LZ4HC(13))) ENGINE = MergeTree ORDER BY k;
SELECT 135, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't135' AND name = 'c';
CREATE TABLE t136 (k UInt8, c String CODEC(ZSTD)) ENGINE = MergeTree ORDER BY k;
SELECT 136, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't136' AND name = 'c';
CREATE TABLE t137 (k UInt8, c String CODEC(ZSTD(5))) ENGINE = MergeTree ORDER BY k;
SELECT 137, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't137' AND name = 'c';
CREATE TABLE t138 (k UInt8, c String CODEC(ZSTD(23))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 138, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't138' AND name = 'c';
CREATE TABLE t139 (k UInt8, c String CODEC(ZSTD(1, 24))) ENGINE = MergeTree ORDER BY k;
SELECT 139, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't139' AND name = 'c';
CREATE TABLE t140 (k UInt8, c String CODEC(ZSTD(1,10))) ENGINE = MergeTree ORDER BY k;
SELECT 140, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't140' AND name = 'c';
CREATE TABLE t141 (k UInt8, c String CODEC(Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 141, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't141' AND name = 'c';
CREATE TABLE t142 (k UInt8, c String CODEC(Delta(4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 142, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't142' AND name = 'c';
CREATE TABLE t143 (k UInt8, c String CODEC(Delta(3))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 143, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't143' AND name = 'c';
CREATE TABLE t144 (k UInt8, c String CODEC(DoubleDelta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 144, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't144' AND name = 'c';
CREATE TABLE t145 (k UInt8, c String CODEC(DoubleDelta(4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 145, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't145' AND name = 'c';
CREATE TABLE t146 (k UInt8, c String CODEC(Gorilla)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 146, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't146' AND name = 'c';
CREATE TABLE t147 (k UInt8, c String CODEC(Gorilla(4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 147, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't147' AND name = 'c';
CREATE TABLE t148 (k UInt8, c String CODEC(FPC)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 148, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't148' AND name = 'c';
CREATE TABLE t149 (k UInt8, c String CODEC(FPC(12))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 149, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't149' AND name = 'c';
CREATE TABLE t150 (k UInt8, c String CODEC(FPC(12,4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 150, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't150' AND name = 'c';
CREATE TABLE t151 (k UInt8, c String CODEC(FPC(30))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 151, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't151' AND name = 'c';
CREATE TABLE t152 (k UInt8, c String CODEC(GCD)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 152, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't152' AND name = 'c';
CREATE TABLE t153 (k UInt8, c String CODEC(GCD(4))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 153, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't153' AND name = 'c';
CREATE TABLE t154 (k UInt8, c String CODEC(T64)) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 154, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't154' AND name = 'c';
CREATE TABLE t155 (k UInt8, c String CODEC(T64('bit'))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 155, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't155' AND name = 'c';
CREATE TABLE t156 (k UInt8, c String CODEC(T64('byte'))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 156, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't156' AND name = 'c';
CREATE TABLE t157 (k UInt8, c String CODEC(T64('x'))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 157, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't157' AND name = 'c';
CREATE TABLE t158 (k UInt8, c String CODEC(Default)) ENGINE = MergeTree ORDER BY k;
SELECT 158, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't158' AND name = 'c';
CREATE TABLE t159 (k UInt8, c String CODEC(Default, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 159, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't159' AND name = 'c';
CREATE TABLE t166 (k UInt8, c String CODEC(Delta, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 166, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't166' AND name = 'c';
CREATE TABLE t167 (k UInt8, c String CODEC(Delta, Default)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 167, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't167' AND name = 'c';
CREATE TABLE t168 (k UInt8, c String CODEC(LZ4, Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 168, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't168' AND name = 'c';
CREATE TABLE t169 (k UInt8, c String CODEC(Delta, Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 169, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't169' AND name = 'c';
CREATE TABLE t170 (k UInt8, c String CODEC(Delta, DoubleDelta, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 170, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't170' AND name = 'c';
CREATE TABLE t171 (k UInt8, c String CODEC(DoubleDelta, Gorilla)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 171, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't171' AND name = 'c';
CREATE TABLE t172 (k UInt8, c String CODEC(NONE, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 172, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't172' AND name = 'c';
CREATE TABLE t173 (k UInt8, c String CODEC(LZ4, ZSTD)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 173, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't173' AND name = 'c';
CREATE TABLE t174 (k UInt8, c String CODEC(Foo)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 174, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't174' AND name = 'c';
CREATE TABLE t175 (k UInt8, c String CODEC(LZ4(3))) ENGINE = MergeTree ORDER BY k; -- { serverError DATA_TYPE_CANNOT_HAVE_ARGUMENTS }
SELECT 175, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't175' AND name = 'c';
CREATE TABLE t176 (k UInt8, c String CODEC(NONE(1))) ENGINE = MergeTree ORDER BY k; -- { serverError DATA_TYPE_CANNOT_HAVE_ARGUMENTS }
SELECT 176, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't176' AND name = 'c';
CREATE TABLE t177 (k UInt8, c String CODEC(Delta(4), T64)) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 177, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't177' AND name = 'c';
CREATE TABLE t178 (k UInt8, c String CODEC(T64, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 178, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't178' AND name = 'c';
CREATE TABLE t179 (k UInt8, c String CODEC(GCD, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 179, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't179' AND name = 'c';
CREATE TABLE t180 (k UInt8, c String CODEC(FPC, ZSTD(3))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 180, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't180' AND name = 'c';
CREATE TABLE t181 (k UInt8, c String CODEC(Gorilla, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 181, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't181' AND name = 'c';
CREATE TABLE t182 (k UInt8, c String CODEC(Delta(1), ZSTD(1))) ENGINE = MergeTree ORDER BY k;
SELECT 182, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't182' AND name = 'c';
CREATE TABLE t183 (k UInt8, c String CODEC(lz4)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 183, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't183' AND name = 'c';
CREATE TABLE t188 (k UInt8, c String CODEC(Delta(8), LZ4HC(3))) ENGINE = MergeTree ORDER BY k;
SELECT 188, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't188' AND name = 'c';
CREATE TABLE t190 (k UInt8, c String CODEC(ZSTD(-1))) ENGINE = MergeTree ORDER BY k;
SELECT 190, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't190' AND name = 'c';
CREATE TABLE t191 (k UInt8, c String CODEC(ZSTD(0))) ENGINE = MergeTree ORDER BY k;
SELECT 191, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't191' AND name = 'c';
CREATE TABLE t192 (k UInt8, c String CODEC(LZ4HC(0))) ENGINE = MergeTree ORDER BY k;
SELECT 192, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't192' AND name = 'c';
CREATE TABLE t193 (k UInt8, c String CODEC(Delta())) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 193, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't193' AND name = 'c';
CREATE TABLE t194 (k UInt8, c String CODEC(Delta(1,2))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 194, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't194' AND name = 'c';
CREATE TABLE t195 (k UInt8, c String CODEC(NULL)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 195, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't195' AND name = 'c';
CREATE TABLE t391 (k UInt8, c Decimal(30,2) CODEC(NONE)) ENGINE = MergeTree ORDER BY k;
SELECT 391, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't391' AND name = 'c';
CREATE TABLE t392 (k UInt8, c Decimal(30,2) CODEC(LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 392, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't392' AND name = 'c';
CREATE TABLE t393 (k UInt8, c Decimal(30,2) CODEC(LZ4HC)) ENGINE = MergeTree ORDER BY k;
SELECT 393, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't393' AND name = 'c';
CREATE TABLE t394 (k UInt8, c Decimal(30,2) CODEC(LZ4HC(9))) ENGINE = MergeTree ORDER BY k;
SELECT 394, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't394' AND name = 'c';
CREATE TABLE t395 (k UInt8, c Decimal(30,2) CODEC(LZ4HC(13))) ENGINE = MergeTree ORDER BY k;
SELECT 395, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't395' AND name = 'c';
CREATE TABLE t396 (k UInt8, c Decimal(30,2) CODEC(ZSTD)) ENGINE = MergeTree ORDER BY k;
SELECT 396, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't396' AND name = 'c';
CREATE TABLE t397 (k UInt8, c Decimal(30,2) CODEC(ZSTD(5))) ENGINE = MergeTree ORDER BY k;
SELECT 397, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't397' AND name = 'c';
CREATE TABLE t398 (k UInt8, c Decimal(30,2) CODEC(ZSTD(23))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 398, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't398' AND name = 'c';
CREATE TABLE t399 (k UInt8, c Decimal(30,2) CODEC(ZSTD(1, 24))) ENGINE = MergeTree ORDER BY k;
SELECT 399, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't399' AND name = 'c';
CREATE TABLE t400 (k UInt8, c Decimal(30,2) CODEC(ZSTD(1,10))) ENGINE = MergeTree ORDER BY k;
SELECT 400, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't400' AND name = 'c';
CREATE TABLE t401 (k UInt8, c Decimal(30,2) CODEC(Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 401, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't401' AND name = 'c';
CREATE TABLE t402 (k UInt8, c Decimal(30,2) CODEC(Delta(4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 402, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't402' AND name = 'c';
CREATE TABLE t403 (k UInt8, c Decimal(30,2) CODEC(Delta(3))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 403, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't403' AND name = 'c';
CREATE TABLE t404 (k UInt8, c Decimal(30,2) CODEC(DoubleDelta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 404, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't404' AND name = 'c';
CREATE TABLE t405 (k UInt8, c Decimal(30,2) CODEC(DoubleDelta(4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 405, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't405' AND name = 'c';
CREATE TABLE t406 (k UInt8, c Decimal(30,2) CODEC(Gorilla)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 406, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't406' AND name = 'c';
CREATE TABLE t407 (k UInt8, c Decimal(30,2) CODEC(Gorilla(4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 407, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't407' AND name = 'c';
CREATE TABLE t408 (k UInt8, c Decimal(30,2) CODEC(FPC)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 408, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't408' AND name = 'c';
CREATE TABLE t409 (k UInt8, c Decimal(30,2) CODEC(FPC(12))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 409, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't409' AND name = 'c';
CREATE TABLE t410 (k UInt8, c Decimal(30,2) CODEC(FPC(12,4))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 410, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't410' AND name = 'c';
CREATE TABLE t411 (k UInt8, c Decimal(30,2) CODEC(FPC(30))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 411, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't411' AND name = 'c';
CREATE TABLE t412 (k UInt8, c Decimal(30,2) CODEC(GCD)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 412, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't412' AND name = 'c';
CREATE TABLE t413 (k UInt8, c Decimal(30,2) CODEC(GCD(4))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 413, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't413' AND name = 'c';
CREATE TABLE t414 (k UInt8, c Decimal(30,2) CODEC(T64)) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 414, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't414' AND name = 'c';
CREATE TABLE t415 (k UInt8, c Decimal(30,2) CODEC(T64('bit'))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 415, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't415' AND name = 'c';
CREATE TABLE t416 (k UInt8, c Decimal(30,2) CODEC(T64('byte'))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 416, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't416' AND name = 'c';
CREATE TABLE t417 (k UInt8, c Decimal(30,2) CODEC(T64('x'))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_CODEC_PARAMETER }
SELECT 417, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't417' AND name = 'c';
CREATE TABLE t418 (k UInt8, c Decimal(30,2) CODEC(Default)) ENGINE = MergeTree ORDER BY k;
SELECT 418, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't418' AND name = 'c';
CREATE TABLE t419 (k UInt8, c Decimal(30,2) CODEC(Default, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 419, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't419' AND name = 'c';
CREATE TABLE t426 (k UInt8, c Decimal(30,2) CODEC(Delta, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 426, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't426' AND name = 'c';
CREATE TABLE t427 (k UInt8, c Decimal(30,2) CODEC(Delta, Default)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 427, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't427' AND name = 'c';
CREATE TABLE t428 (k UInt8, c Decimal(30,2) CODEC(LZ4, Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 428, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't428' AND name = 'c';
CREATE TABLE t429 (k UInt8, c Decimal(30,2) CODEC(Delta, Delta)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 429, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't429' AND name = 'c';
CREATE TABLE t430 (k UInt8, c Decimal(30,2) CODEC(Delta, DoubleDelta, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 430, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't430' AND name = 'c';
CREATE TABLE t431 (k UInt8, c Decimal(30,2) CODEC(DoubleDelta, Gorilla)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 431, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't431' AND name = 'c';
CREATE TABLE t432 (k UInt8, c Decimal(30,2) CODEC(NONE, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 432, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't432' AND name = 'c';
CREATE TABLE t433 (k UInt8, c Decimal(30,2) CODEC(LZ4, ZSTD)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 433, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't433' AND name = 'c';
CREATE TABLE t434 (k UInt8, c Decimal(30,2) CODEC(Foo)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 434, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't434' AND name = 'c';
CREATE TABLE t435 (k UInt8, c Decimal(30,2) CODEC(LZ4(3))) ENGINE = MergeTree ORDER BY k; -- { serverError DATA_TYPE_CANNOT_HAVE_ARGUMENTS }
SELECT 435, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't435' AND name = 'c';
CREATE TABLE t436 (k UInt8, c Decimal(30,2) CODEC(NONE(1))) ENGINE = MergeTree ORDER BY k; -- { serverError DATA_TYPE_CANNOT_HAVE_ARGUMENTS }
SELECT 436, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't436' AND name = 'c';
CREATE TABLE t437 (k UInt8, c Decimal(30,2) CODEC(Delta(4), T64)) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 437, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't437' AND name = 'c';
CREATE TABLE t438 (k UInt8, c Decimal(30,2) CODEC(T64, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 438, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't438' AND name = 'c';
CREATE TABLE t439 (k UInt8, c Decimal(30,2) CODEC(GCD, LZ4)) ENGINE = MergeTree ORDER BY k;
SELECT 439, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't439' AND name = 'c';
CREATE TABLE t440 (k UInt8, c Decimal(30,2) CODEC(FPC, ZSTD(3))) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 440, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't440' AND name = 'c';
CREATE TABLE t441 (k UInt8, c Decimal(30,2) CODEC(Gorilla, LZ4)) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 441, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't441' AND name = 'c';
CREATE TABLE t442 (k UInt8, c Decimal(30,2) CODEC(Delta(1), ZSTD(1))) ENGINE = MergeTree ORDER BY k;
SELECT 442, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't442' AND name = 'c';
CREATE TABLE t443 (k UInt8, c Decimal(30,2) CODEC(lz4)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 443, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't443' AND name = 'c';
CREATE TABLE t448 (k UInt8, c Decimal(30,2) CODEC(Delta(8), LZ4HC(3))) ENGINE = MergeTree ORDER BY k;
SELECT 448, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't448' AND name = 'c';
CREATE TABLE t450 (k UInt8, c Decimal(30,2) CODEC(ZSTD(-1))) ENGINE = MergeTree ORDER BY k;
SELECT 450, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't450' AND name = 'c';
CREATE TABLE t451 (k UInt8, c Decimal(30,2) CODEC(ZSTD(0))) ENGINE = MergeTree ORDER BY k;
SELECT 451, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't451' AND name = 'c';
CREATE TABLE t452 (k UInt8, c Decimal(30,2) CODEC(LZ4HC(0))) ENGINE = MergeTree ORDER BY k;
SELECT 452, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't452' AND name = 'c';
CREATE TABLE t453 (k UInt8, c Decimal(30,2) CODEC(Delta())) ENGINE = MergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
SELECT 453, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't453' AND name = 'c';
CREATE TABLE t454 (k UInt8, c Decimal(30,2) CODEC(Delta(1,2))) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT 454, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't454' AND name = 'c';
CREATE TABLE t455 (k UInt8, c Decimal(30,2) CODEC(NULL)) ENGINE = MergeTree ORDER BY k; -- { serverError UNKNOWN_CODEC }
SELECT 455, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 't455' AND name = 'c';
