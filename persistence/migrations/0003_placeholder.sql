-- Keeps the number: versions have no gaps.
select 1;
