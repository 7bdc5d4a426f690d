"""Databases of all kinds, each family in a file of its own."""

from errata.classification._answer import Table
from errata.classification._families import (
    _document_stores,
    _embedded_databases,
    _mongodb,
    _mysql,
    _neo4j,
    _orms,
    _postgresql,
    _redis,
    _sql_databases,
)

TABLE: Table = {
    **_postgresql.TABLE,
    **_mysql.TABLE,
    **_embedded_databases.TABLE,
    **_sql_databases.TABLE,
    **_orms.TABLE,
    **_redis.TABLE,
    **_mongodb.TABLE,
    **_neo4j.TABLE,
    **_document_stores.TABLE,
}
