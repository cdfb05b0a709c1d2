package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

func show(name string, f func() (any, error)) {
	v, err := f()
	if err != nil {
		fmt.Printf("FAILED  %s: %.600s\n", name, err.Error())
		return
	}
	fmt.Printf("ok      %s: %v\n", name, v)
}

func main() {
	ctx := context.Background()
	for _, method := range []clickhouse.CompressionMethod{clickhouse.CompressionNone, clickhouse.CompressionLZ4, clickhouse.CompressionZSTD, clickhouse.CompressionGZIP} {
		db := clickhouse.OpenDB(&clickhouse.Options{
			Addr: []string{os.Args[1]}, Protocol: clickhouse.HTTP,
			Compression: &clickhouse.Compression{Method: method, Level: 3},
			Settings:    clickhouse.Settings{"max_execution_time": 60},
		})
		fmt.Println("--- compression", method)
		show("ping", func() (any, error) { return true, db.PingContext(ctx) })
		show("version", func() (any, error) { var v string; err := db.QueryRow("SELECT version()").Scan(&v); return v, err })
		show("ddl", func() (any, error) {
			if _, err := db.Exec("DROP TABLE IF EXISTS go_t"); err != nil {
				return nil, err
			}
			_, err := db.Exec("CREATE TABLE go_t (id UInt64, s String, a Array(String), m Map(String, UInt8), n Nullable(Int32), t DateTime, t6 DateTime64(6, 'Europe/Berlin'), u UUID, d Decimal(18, 4), lc LowCardinality(String), e Enum8('a' = 1, 'b' = 2), f Float64, b Bool, day Date, tu Tuple(UInt8, String)) ENGINE = MergeTree ORDER BY id")
			return true, err
		})
		show("batch insert", func() (any, error) {
			tx, err := db.Begin()
			if err != nil {
				return nil, err
			}
			stmt, err := tx.Prepare("INSERT INTO go_t")
			if err != nil {
				return nil, err
			}
			for i := 0; i < 1000; i++ {
				var n *int32
				if i%2 == 0 {
					v := int32(i)
					n = &v
				}
				if _, err := stmt.Exec(uint64(i), fmt.Sprintf("row %d", i), []string{"a", "b"}, map[string]uint8{"k": 1}, n, time.Unix(1700000000, 0), time.Unix(1700000000, 123456000), uuid.New(), decimal.New(12345, -4), "lc", "a", 0.5, true, time.Unix(1700000000, 0), []any{uint8(1), "x"}); err != nil {
					return nil, err
				}
			}
			return true, tx.Commit()
		})
		show("select", func() (any, error) {
			rows, err := db.Query("SELECT id, s, a, m, n, t, t6, u, d, lc, e, f, b, day FROM go_t WHERE id < 2 ORDER BY id")
			if err != nil {
				return nil, err
			}
			defer rows.Close()
			out := ""
			for rows.Next() {
				var id uint64
				var s, lc, e string
				var a []string
				var m map[string]uint8
				var n *int32
				var t, t6, day time.Time
				var u uuid.UUID
				var d decimal.Decimal
				var f float64
				var b bool
				if err := rows.Scan(&id, &s, &a, &m, &n, &t, &t6, &u, &d, &lc, &e, &f, &b, &day); err != nil {
					return nil, err
				}
				out += fmt.Sprint(id, s, a, m, n != nil, t, t6, d, lc, e, f, b, day, "; ")
			}
			return out, rows.Err()
		})
		show("arguments", func() (any, error) {
			var a uint64
			var s string
			err := db.QueryRow("SELECT count(), max(s) FROM go_t WHERE id >= ? AND s != ?", 10, "it's").Scan(&a, &s)
			return fmt.Sprint(a, s), err
		})
		show("named", func() (any, error) {
			var a uint64
			err := db.QueryRow("SELECT count() FROM go_t WHERE id >= @id AND t > @t", clickhouse.Named("id", 10), clickhouse.DateNamed("t", time.Unix(0, 0), clickhouse.Seconds)).Scan(&a)
			return a, err
		})
		show("server-side parameters", func() (any, error) {
			var a uint32
			var s string
			c := clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{"a": "41", "s": "it's"}))
			err := db.QueryRowContext(c, "SELECT {a:UInt32} + 1, {s:String}").Scan(&a, &s)
			return fmt.Sprint(a, s), err
		})
		show("settings, query id", func() (any, error) {
			var v string
			c := clickhouse.Context(ctx, clickhouse.WithQueryID("go-"+uuid.NewString()), clickhouse.WithSettings(clickhouse.Settings{"max_block_size": 77}))
			err := db.QueryRowContext(c, "SELECT toString(getSetting('max_block_size'))").Scan(&v)
			return v, err
		})
		show("many rows", func() (any, error) {
			rows, err := db.Query("SELECT number, toString(number) FROM numbers(500000)")
			if err != nil {
				return nil, err
			}
			defer rows.Close()
			n := 0
			for rows.Next() {
				var a uint64
				var s string
				if err := rows.Scan(&a, &s); err != nil {
					return nil, err
				}
				n++
			}
			return n, rows.Err()
		})
		show("error", func() (any, error) {
			_, err := db.Query("SELECT nothing")
			if err == nil {
				return nil, fmt.Errorf("passed")
			}
			return err.Error(), nil
		})
		show("late error", func() (any, error) {
			rows, err := db.Query("SELECT number, throwIf(number = 3000000) FROM numbers(5000000) SETTINGS max_threads = 1")
			if err != nil {
				return "at once: " + err.Error(), nil
			}
			n := 0
			for rows.Next() {
				n++
			}
			if rows.Err() == nil {
				return nil, fmt.Errorf("passed with %d rows", n)
			}
			return rows.Err().Error(), nil
		})
		show("cancel", func() (any, error) {
			c, stop := context.WithTimeout(ctx, 300*time.Millisecond)
			defer stop()
			begun := time.Now()
			_, err := db.QueryContext(c, "SELECT count() FROM numbers(1000000000000) WHERE number % 7 = 8")
			return fmt.Sprint(err, time.Since(begun) < 2*time.Second), nil
		})
		db.Close()
	}
	show("native API over HTTP", func() (any, error) {
		conn, err := clickhouse.Open(&clickhouse.Options{Addr: []string{os.Args[1]}, Protocol: clickhouse.HTTP})
		if err != nil {
			return nil, err
		}
		batch, err := conn.PrepareBatch(ctx, "INSERT INTO go_t (id, s)")
		if err != nil {
			return nil, err
		}
		if err := batch.Append(uint64(5000), "batch"); err != nil {
			return nil, err
		}
		if err := batch.Send(); err != nil {
			return nil, err
		}
		var rows []struct {
			ID uint64 `ch:"id"`
			S  string `ch:"s"`
		}
		err = conn.Select(ctx, &rows, "SELECT id, s FROM go_t WHERE id = 5000")
		v, err2 := conn.ServerVersion()
		return fmt.Sprint(rows, v, err2), err
	})
	_ = sql.ErrNoRows
}
