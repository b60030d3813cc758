-- What an iteration was told, or was not since it was held out, is a list of memories of any kind with how they were found. Of earlier
-- iterations only the learnings are known.
UPDATE iterations SET told =
    (SELECT json_group_array(json_object('kind', 'learning', 'id', value, 'rank', key + 1, 'channels', json('[]'))) FROM json_each(told))
WHERE told <> '[]';
UPDATE iterations SET withheld =
    (SELECT json_group_array(json_object('kind', 'learning', 'id', value, 'rank', key + 1, 'channels', json('[]'))) FROM json_each(withheld))
WHERE withheld <> '[]';
