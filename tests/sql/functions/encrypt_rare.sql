-- { echoOn }
select hex(encrypt('aes-128-ecb','text',repeat('k',16))), hex(encrypt('aes-128-ecb','',repeat('k',16))), hex(encrypt('aes-128-cbc','text',repeat('k',16))), hex(encrypt('aes-128-cbc','text',repeat('k',16),repeat('i',16))), hex(encrypt('aes-128-cbc','',repeat('k',16),repeat('i',16)));
select hex(encrypt('aes-128-ofb',repeat('text',10),repeat('k',16),repeat('i',16))), hex(encrypt('aes-192-ctr',repeat('text',10),repeat('k',24),repeat('i',16))), hex(encrypt('aes-256-gcm',repeat('text',9),repeat('k',32),repeat('i',12))), hex(encrypt('aes-128-gcm','',repeat('k',16),repeat('i',12))), hex(encrypt('aes-192-gcm','text',repeat('k',24),repeat('i',12),'aad'));
select encrypt('aes-128-ecb','text','short'); -- { serverError BAD_ARGUMENTS }
select encrypt('aes-128-cbc','text',repeat('k',16),'short'); -- { serverError BAD_ARGUMENTS }
select encrypt('aes-128-gcm','text',repeat('k',16)); -- { serverError BAD_ARGUMENTS }
select encrypt('aes-1-ecb','text',repeat('k',16)); -- { serverError BAD_ARGUMENTS }
select encrypt('aes-128-ecb','text',repeat('k',16),repeat('i',16)); -- { serverError BAD_ARGUMENTS }
select decrypt('aes-128-ecb',encrypt('aes-128-ecb','text',repeat('k',16)),repeat('k',16)), decrypt('aes-256-cbc',encrypt('aes-256-cbc',repeat('text',number),repeat('k',32)),repeat('k',32)), decrypt('aes-128-gcm',encrypt('aes-128-gcm','text',repeat('k',16),repeat('i',12),'a'),repeat('k',16),repeat('i',12),'a'), decrypt('aes-128-ofb',encrypt('aes-128-ofb','text',repeat('k',16)),repeat('k',16)) from numbers(6) order by number;
select decrypt('aes-128-ecb','garbage',repeat('k',16)); -- { serverError OPENSSL_ERROR }
select tryDecrypt('aes-128-ecb','garbage',repeat('k',16)), toTypeName(tryDecrypt('aes-128-ecb','garbage',repeat('k',16)));
select decrypt('aes-128-gcm','garbage',repeat('k',16),repeat('i',12)); -- { serverError BAD_ARGUMENTS }
select decrypt('aes-128-gcm',repeat('g',30),repeat('k',16),repeat('i',12)); -- { serverError OPENSSL_ERROR }
select hex(aes_encrypt_mysql('aes-128-ecb','text',repeat('kx',20))), hex(aes_encrypt_mysql('aes-256-cbc','text',repeat('kx',20),repeat('ij',20))), aes_decrypt_mysql('aes-256-cbc',aes_encrypt_mysql('aes-256-cbc','text',repeat('kx',20),repeat('ij',20)),repeat('kx',20),repeat('ij',20));
select aes_encrypt_mysql('aes-128-gcm','text','short'); -- { serverError BAD_ARGUMENTS }
select encrypt(toString(number),'a','b') from numbers(1); -- { serverError ILLEGAL_COLUMN }
select encrypt('aes-128-ecb',null,repeat('k',16)), encrypt('aes-128-ecb','x',null), encrypt('aes-128-ecb',materialize(toNullable('x')),repeat('k',16)) is null;
