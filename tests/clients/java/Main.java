import java.sql.*;
import java.util.*;

public class Main {
    interface Work { Object run() throws Exception; }
    static void show(String name, Work w) {
        try { System.out.printf("ok      %s: %.300s%n", name, w.run()); }
        catch (Throwable e) { System.out.printf("FAILED  %s: %.700s%n", name, e + (e.getCause() == null ? "" : " / " + e.getCause())); }
    }
    public static void main(String[] a) throws Exception {
        String url = "jdbc:clickhouse:http://" + a[0] + "/default";
        try (Connection c = DriverManager.getConnection(url, "default", "")) {
            Statement s = c.createStatement();
            show("version", () -> c.getMetaData().getDatabaseProductName() + " " + c.getMetaData().getDatabaseProductVersion());
            show("valid", () -> c.isValid(5));
            show("ddl", () -> { s.execute("DROP TABLE IF EXISTS j"); return s.execute("CREATE TABLE j (id UInt64, i Int32, s String, d Date, t DateTime, t6 DateTime64(6), dec Decimal(18, 4), u UUID, b Bool, n Nullable(Int32), f Float64, a Array(String), m Map(String, UInt8), lc LowCardinality(String), e Enum8('x' = 1)) ENGINE = MergeTree ORDER BY id"); });
            show("insert text", () -> s.executeUpdate("INSERT INTO j VALUES (1, -1, 'it''s', '2026-01-02', '2026-01-02 03:04:05', '2026-01-02 03:04:05.123456', 1.5, '8eecb521-aeeb-4e21-8cf3-5413a275b4f1', true, NULL, 0.5, ['a'], {'k': 1}, 'lc', 'x')"));
            show("batch", () -> { try (PreparedStatement p = c.prepareStatement("INSERT INTO j (id, i, s, d, t, dec, b, n, f) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
                for (int i = 2; i < 1002; i++) { p.setLong(1, i); p.setInt(2, -i); p.setString(3, "row '" + i + "'\n\\"); p.setDate(4, java.sql.Date.valueOf("2026-01-02")); p.setTimestamp(5, Timestamp.valueOf("2026-01-02 03:04:05")); p.setBigDecimal(6, new java.math.BigDecimal("12.3456")); p.setBoolean(7, true); if (i % 2 == 0) p.setNull(8, Types.INTEGER); else p.setInt(8, i); p.setDouble(9, 0.25); p.addBatch(); }
                return p.executeBatch().length; } });
            show("select", () -> { try (ResultSet r = s.executeQuery("SELECT * FROM j ORDER BY id LIMIT 2")) { StringBuilder o = new StringBuilder(); ResultSetMetaData m = r.getMetaData(); while (r.next()) { for (int i = 1; i <= m.getColumnCount(); i++) o.append(m.getColumnName(i)).append(':').append(m.getColumnTypeName(i)).append('=').append(r.getObject(i)).append(' '); } return o; } });
            show("typed getters", () -> { try (ResultSet r = s.executeQuery("SELECT * FROM j WHERE id = 1")) { r.next(); return r.getLong("id") + " " + r.getDate("d") + " " + r.getTimestamp("t6") + " " + r.getBigDecimal("dec") + " " + r.getString("u") + " " + r.getBoolean("b") + " " + r.getInt("n") + r.wasNull() + " " + Arrays.toString((Object[]) r.getArray("a").getArray()) + " " + r.getObject("m"); } });
            show("parameters", () -> { try (PreparedStatement p = c.prepareStatement("SELECT count(), max(s) FROM j WHERE id >= ? AND s != ? AND d = ?")) { p.setLong(1, 10); p.setString(2, "it's \\"); p.setDate(3, java.sql.Date.valueOf("2026-01-02")); try (ResultSet r = p.executeQuery()) { r.next(); return r.getLong(1) + " " + r.getString(2); } } });
            show("metadata: schemas", () -> { int n = 0; try (ResultSet r = c.getMetaData().getSchemas()) { while (r.next()) n++; } return n; });
            show("metadata: tables", () -> { StringBuilder o = new StringBuilder(); try (ResultSet r = c.getMetaData().getTables(null, "default", "%", null)) { while (r.next()) o.append(r.getString("TABLE_NAME")).append(' ').append(r.getString("TABLE_TYPE")).append(';'); } return o; });
            show("metadata: columns", () -> { StringBuilder o = new StringBuilder(); try (ResultSet r = c.getMetaData().getColumns(null, "default", "j", "%")) { while (r.next()) o.append(r.getString("COLUMN_NAME")).append(' ').append(r.getString("TYPE_NAME")).append(' ').append(r.getInt("DATA_TYPE")).append(';'); } return o; });
            show("metadata: keys, types, functions", () -> { int n = 0; try (ResultSet r = c.getMetaData().getPrimaryKeys(null, "default", "j")) { while (r.next()) n++; } try (ResultSet r = c.getMetaData().getTypeInfo()) { while (r.next()) n++; } try (ResultSet r = c.getMetaData().getFunctions(null, null, "%")) { while (r.next()) n++; } try (ResultSet r = c.getMetaData().getTableTypes()) { while (r.next()) n++; } return n; });
            show("many rows", () -> { long n = 0; try (ResultSet r = s.executeQuery("SELECT number, toString(number) FROM numbers(500000)")) { while (r.next()) n += r.getString(2).length() > 0 ? 1 : 0; } return n; });
            show("error", () -> { try { s.executeQuery("SELECT nothing"); return "passed"; } catch (SQLException e) { return e.getErrorCode() + " " + e.getMessage(); } });
            show("timeout", () -> { try (Statement q = c.createStatement()) { q.setQueryTimeout(1); q.executeQuery("SELECT count() FROM numbers(1000000000000) WHERE number % 7 = 8"); return "passed"; } catch (SQLException e) { return e.getMessage(); } });
            show("use", () -> { s.execute("CREATE DATABASE IF NOT EXISTS jd"); c.setSchema("jd"); try (Statement q = c.createStatement(); ResultSet r = q.executeQuery("SELECT currentDatabase()")) { r.next(); return r.getString(1); } });
        }
    }
}
