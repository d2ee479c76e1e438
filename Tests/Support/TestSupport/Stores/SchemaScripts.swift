import ServiceRuntime

/// What is done to the schemas of tests.
enum SchemaScripts {
    /// Keeps the rows that migrations have written, in a schema beside it. Which store it is on
    /// which server is written by each start.
    static func keep(_ schema: String) -> String {
        """
        DO $keep$ DECLARE it record; has boolean; BEGIN
            CREATE SCHEMA "\(schema)_kept";
            FOR it IN SELECT tablename AS name FROM pg_tables WHERE schemaname = '\(schema)'
                AND tablename NOT IN ('schema_migrations', 'store_place')
            LOOP
                EXECUTE format('SELECT EXISTS (SELECT 1 FROM "\(schema)".%I)', it.name) INTO has;
                IF has THEN
                    EXECUTE format(
                        'CREATE TABLE "\(schema)_kept".%I AS TABLE "\(schema)".%I',
                        it.name, it.name);
                END IF;
            END LOOP;
        END $keep$
        """
    }

    /// Leaves the rows that migrations have written, and begins all numbers again. Rows are deleted
    /// in any order: without the checks of foreign keys. A test that had the schema may have been
    /// in another year.
    static func empty(_ schema: String) -> String {
        """
        DO $empty$ DECLARE it record; BEGIN
            SET LOCAL session_replication_role = replica;
            FOR it IN SELECT tablename AS name FROM pg_tables WHERE schemaname = '\(schema)'
                AND tablename <> 'schema_migrations'
            LOOP EXECUTE format('DELETE FROM "\(schema)".%I', it.name); END LOOP;
            FOR it IN SELECT tablename AS name FROM pg_tables WHERE schemaname = '\(schema)_kept'
            LOOP
                EXECUTE format(
                    'INSERT INTO "\(schema)".%I OVERRIDING SYSTEM VALUE
                        SELECT * FROM "\(schema)_kept".%I',
                    it.name, it.name);
            END LOOP;
            FOR it IN SELECT sequencename AS name FROM pg_sequences
                WHERE schemaname = '\(schema)' AND last_value IS NOT NULL
            LOOP PERFORM setval(format('"\(schema)".%I', it.name), 1, false); END LOOP;
            UPDATE "\(schema)".schema_migrations
                SET applied_at_ms = \(ManualTime().now().milliseconds);
        END $empty$
        """
    }

    /// Makes a view of each table, in a schema beside it.
    static func views(of schema: String) -> String {
        """
        DO $views$ DECLARE it record; BEGIN
            CREATE SCHEMA IF NOT EXISTS "\(schema)_views";
            FOR it IN SELECT tablename AS name FROM pg_tables WHERE schemaname = '\(schema)' LOOP
                EXECUTE format(
                    'CREATE OR REPLACE VIEW "\(schema)_views".%I AS SELECT * FROM "\(schema)".%I',
                    it.name, it.name);
            END LOOP;
        END $views$
        """
    }

    /// The rows of one moment, and the next numbers, of a schema in another with the same tables.
    static func copy(_ source: String, to target: String) -> String {
        """
        BEGIN ISOLATION LEVEL REPEATABLE READ;
        DO $copy$ DECLARE it record; BEGIN
            SET LOCAL session_replication_role = replica;
            FOR it IN SELECT tablename AS name FROM pg_tables WHERE schemaname = '\(source)'
                AND tablename <> 'schema_migrations'
            LOOP
                EXECUTE format('DELETE FROM "\(target)".%I', it.name);
                EXECUTE format(
                    'INSERT INTO "\(target)".%I OVERRIDING SYSTEM VALUE
                        SELECT * FROM "\(source)".%I',
                    it.name, it.name);
            END LOOP;
            FOR it IN SELECT sequencename AS name, last_value FROM pg_sequences
                WHERE schemaname = '\(source)' AND last_value IS NOT NULL
            LOOP PERFORM setval(format('"\(target)".%I', it.name), it.last_value); END LOOP;
        END $copy$;
        COMMIT
        """
    }
}
