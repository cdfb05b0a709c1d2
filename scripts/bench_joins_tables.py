"""Tables of bench_joins.py: keys and columns without NULL, as the standards of TPC-H and TPC-DS say.

Names, and types in DuckDB's words, come from the generated database. A table is ordered by its primary key.
"""
import re

# Table -> columns of the primary key.
TPCH = {
    'region': 'r_regionkey', 'nation': 'n_nationkey', 'supplier': 's_suppkey', 'customer': 'c_custkey', 'part': 'p_partkey',
    'partsupp': 'ps_partkey, ps_suppkey', 'orders': 'o_orderkey', 'lineitem': 'l_orderkey, l_linenumber',
}

TPCDS = {
    'call_center': 'cc_call_center_sk', 'catalog_page': 'cp_catalog_page_sk', 'catalog_returns': 'cr_item_sk, cr_order_number',
    'catalog_sales': 'cs_item_sk, cs_order_number', 'customer': 'c_customer_sk', 'customer_address': 'ca_address_sk',
    'customer_demographics': 'cd_demo_sk', 'date_dim': 'd_date_sk', 'household_demographics': 'hd_demo_sk',
    'income_band': 'ib_income_band_sk', 'inventory': 'inv_date_sk, inv_item_sk, inv_warehouse_sk', 'item': 'i_item_sk',
    'promotion': 'p_promo_sk', 'reason': 'r_reason_sk', 'ship_mode': 'sm_ship_mode_sk', 'store': 's_store_sk',
    'store_returns': 'sr_item_sk, sr_ticket_number', 'store_sales': 'ss_item_sk, ss_ticket_number', 'time_dim': 't_time_sk',
    'warehouse': 'w_warehouse_sk', 'web_page': 'wp_web_page_sk', 'web_returns': 'wr_item_sk, wr_order_number',
    'web_sales': 'ws_item_sk, ws_order_number', 'web_site': 'web_site_sk',
}

KEYS = {'tpch': TPCH, 'tpcds': TPCDS}

# Columns beside the primary keys that TPC-DS declares NOT NULL: the identifiers that its users know, the day and the second.
NEVER_NULL = {
    'cc_call_center_id', 'cp_catalog_page_id', 'c_customer_id', 'ca_address_id', 'd_date_id', 'd_date', 'i_item_id', 'p_promo_id',
    'r_reason_id', 'sm_ship_mode_id', 's_store_id', 't_time_id', 't_time', 'w_warehouse_id', 'wp_web_page_id', 'web_site_id',
}

TYPES = {'BIGINT': 'Int64', 'INTEGER': 'Int32', 'VARCHAR': 'String'}


def column_type(kind, duckdb_type):
    """The type of the dialect that holds the same values. TPC-DS has days before 1970, which Date cannot hold."""
    if duckdb_type == 'DATE':
        return 'Date' if kind == 'tpch' else 'Date32'
    if decimal := re.fullmatch(r'DECIMAL\((\d+),(\d+)\)', duckdb_type):
        return f'Decimal({decimal[1]}, {decimal[2]})'
    return TYPES[duckdb_type]


def create_statement(kind, table, columns):
    """CREATE TABLE of a table whose [(name, DuckDB's type)] are given. TPC-H has no NULL at all."""
    key = KEYS[kind][table]
    whole = kind == 'tpch'
    items = []
    for name, duckdb_type in columns:
        made = column_type(kind, duckdb_type)
        nullable = not (whole or name in key.split(', ') or name in NEVER_NULL)
        items.append(f'{name} Nullable({made})' if nullable else f'{name} {made}')
    return f"CREATE TABLE {table} ({', '.join(items)}) ENGINE = MergeTree ORDER BY ({key})"
