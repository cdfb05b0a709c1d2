SELECT
    sum(ResolutionWidth),
    sum(ResolutionHeight + 1),
    sum(ResolutionWidth::INTEGER * ResolutionHeight),
    avg(WindowClientWidth),
    min(WindowClientHeight),
    max(WindowClientHeight::INTEGER - WindowClientWidth)
FROM hits
