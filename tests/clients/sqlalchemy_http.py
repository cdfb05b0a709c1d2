"""clickhouse-sqlalchemy over HTTP against a server that runs: python3 sqlalchemy_http.py 127.0.0.1:8123"""
import datetime as dt
import sys

from clickhouse_sqlalchemy import engines, get_declarative_base, make_session, types
from sqlalchemy import Column, MetaData, Table, create_engine, func, inspect, select, text

engine = create_engine(f"clickhouse+http://default:@{sys.argv[1]}/default")
failed = 0


def show(name, work):
    global failed
    try:
        print("ok     ", name, str(work())[:300])
    except Exception as error:
        failed += 1
        print("FAILED ", name, str(error)[:500])


Base = get_declarative_base(metadata=MetaData())


class Sale(Base):
    __tablename__ = "alchemy"
    id = Column(types.UInt64, primary_key=True)
    day = Column(types.Date)
    item = Column(types.String)
    price = Column(types.Nullable(types.Float64))
    __table_args__ = (engines.MergeTree(order_by=["id"], partition_by=func.toYYYYMM(day)),)


session = make_session(engine)


def insert():
    rows = [{"id": i, "day": dt.date(2026, 1, 1 + i % 28), "item": "it's" if i % 2 else "tea", "price": None if i % 3 else 1.5} for i in range(100)]
    session.execute(Sale.__table__.insert(), rows)
    return session.query(func.count(Sale.id)).scalar()


show("text", lambda: session.execute(text("SELECT version(), 1 + 1")).fetchall())
show("drop", lambda: Base.metadata.drop_all(engine))
show("create", lambda: Base.metadata.create_all(engine))
show("insert", insert)
show("select", lambda: session.query(Sale.item, func.count(Sale.id), func.sum(Sale.price)).group_by(Sale.item).order_by(Sale.item).all())
show("where", lambda: session.query(Sale).filter(Sale.item == "it's", Sale.day >= dt.date(2026, 1, 15)).count())
show("core select", lambda: session.execute(select(Sale.id, Sale.price).where(Sale.price.is_(None)).order_by(Sale.id).limit(2)).fetchall())
show("table names", lambda: inspect(engine).get_table_names())
show("columns", lambda: [(c["name"], str(c["type"])) for c in inspect(engine).get_columns("alchemy")])
show("reflection", lambda: [c.name for c in Table("alchemy", MetaData(), autoload_with=engine).columns])
sys.exit(1 if failed else 0)
