-- What addresses are differs from build to build; names and types do not.
select demangle('_ZN3foo3barEv'), demangle('abc'), demangle(''), demangle(materialize('_ZN3foo3barEv'));
select addressToSymbol(toUInt64(0)), toTypeName(addressToSymbol(toUInt64(0))), toTypeName(addressToLine(toUInt64(0))), toTypeName(addressToLineWithInlines(toUInt64(0)));
select demangle(NULL::Nullable(String)), toTypeName(demangle('a'::LowCardinality(String)));
select demangle(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
select addressToSymbol('x'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
select demangle('a') settings allow_introspection_functions = 0; -- { serverError FUNCTION_NOT_ALLOWED }
select 1, Settings['a'] from (select map('a', 'b') as Settings);
