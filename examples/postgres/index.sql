-- Loads chunks, one JSON object {"id", "title", "text"} a line, into a table with full-text search:
--
--     psql -v language=english -v chunks=chunks.jsonl -f index.sql
\set ON_ERROR_STOP on
begin;
drop table if exists docs;
create temporary table lines (line text);
-- In CSV with characters that JSON never holds unescaped, a line is one value as it is.
\set copy '\\copy lines from ' :'chunks' ' with (format csv, delimiter E''\\x01'', quote E''\\x02'')'
:copy
create table docs (id text primary key, words tsvector not null);
insert into docs
select chunk ->> 'id',
    setweight(to_tsvector(:'language', chunk ->> 'title'), 'A') || to_tsvector(:'language', chunk ->> 'text')
from lines, cast(line as json) as chunk;
create index docs_words on docs using gin (words);
commit;
