-- Nothing.
select 1;
