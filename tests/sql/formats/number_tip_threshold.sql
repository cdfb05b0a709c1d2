-- The number from which on Pretty formats and Vertical explain a number.
SELECT 1500000 AS n FORMAT PrettyCompact;
SELECT 1500000 AS n FORMAT PrettyCompact SETTINGS output_format_pretty_single_large_number_tip_threshold = 0;
SELECT 1500000 AS n FORMAT Vertical SETTINGS output_format_pretty_single_large_number_tip_threshold = 0;
SELECT 1500000 AS n FORMAT PrettySpace SETTINGS output_format_pretty_single_large_number_tip_threshold = 2000000;
SELECT 1500 AS n FORMAT PrettyCompact SETTINGS output_format_pretty_single_large_number_tip_threshold = 1000;
SELECT -1500 AS n FORMAT PrettyCompact SETTINGS output_format_pretty_single_large_number_tip_threshold = 1000;
SELECT 1500 AS n FORMAT Vertical SETTINGS output_format_pretty_single_large_number_tip_threshold = 1500;
