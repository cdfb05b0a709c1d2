-- Plain arithmetic over small integers, no filter.
SELECT
    sum(ResolutionWidth),
    sum(ResolutionHeight + 1),
    sum(ResolutionWidth * ResolutionHeight),
    avg(WindowClientWidth),
    min(WindowClientHeight),
    max(WindowClientHeight - WindowClientWidth)
FROM hits
