@testable import AccountLife

/// A row of a table whose rows belong to accounts, as it is planted for the check of orphans.
struct PlantedRow: Sendable {
    /// What it is without its account.
    let kind: OrphanKind
    let table: String
    private let columns: String
    /// Expressions; `account` is the account's key.
    private let values: String

    private init(
        _ kind: OrphanKind, _ table: String, _ columns: String, values: String
    ) {
        (self.kind, self.table, self.columns, self.values) = (kind, table, columns, values)
    }

    /// A script that inserts one for each account of a table or query, for example
    /// `accounts WHERE is_guest = 1`.
    func insert(from accounts: String) -> String {
        "INSERT INTO \(table) (\(columns)) SELECT \(values) FROM \(accounts);"
    }

    /// One of each table.
    static let all = [
        PlantedRow(
            .profile, "profiles",
            "account, display_name, language",
            values: "account, x'00', 'en'"),
        PlantedRow(
            .identity, "identities",
            "identity, account, look_up_key, method, details, linked_at_ms",
            values: "account, account, CAST(account AS BLOB), 'google', x'00', 1"),
        PlantedRow(
            .document, "documents",
            """
            document, account, collection_key, name_key, version, position, payload, \
            bytes, changed_at_ms, is_removed
            """,
            values: "account, account, x'00', x'00', 1, 1, x'00', 1, 1, 0"),
        PlantedRow(
            .document, "document_totals",
            "account, documents, bytes, removals, position, oldest_position",
            values: "account, 1, 1, 0, 1, 0"),
        PlantedRow(
            .photo, "photos",
            """
            photo, account, name_key, name, hash, content_type, width, height, bytes, \
            uploaded_at_ms, blob
            """,
            values: """
                account, account, CAST(account AS BLOB), x'00', x'00', 'image/png', 1, 1, 1, \
                1, 'b' || account
                """),
        PlantedRow(
            .row, "account_keys",
            "account, sealed_key",
            values: "account, x'00'"),
        PlantedRow(
            .row, "email_addresses",
            "account, look_up_key, address, held_at_ms",
            values: "account, CAST(account AS BLOB), x'00', 1"),
        PlantedRow(
            .row, "passwords",
            "account, hash, changed_at_ms",
            values: "account, x'00', 1"),
        PlantedRow(
            .row, "claims",
            "account, address_key, address, password_hash, claimed_at_ms, expires_at_ms",
            values: "account, x'00', x'00', x'00', 1, 1"),
        PlantedRow(
            .row, "email_changes",
            "account, token_hash, address_key, address, requested_at_ms, expires_at_ms",
            values: "account, CAST(account AS BLOB), x'00', x'00', 1, 1"),
        PlantedRow(
            .row, "links",
            "link, token_hash, purpose, account, address_key, expires_at_ms",
            values: "account, CAST(account AS BLOB), 1, account, x'00', 1"),
        PlantedRow(
            .row, "phone_codes",
            "code, number_key, purpose, account, code_hash, stage, evaluated, expires_at_ms",
            values: "account, x'00', 1, account, x'00', 1, 0, 1"),
        PlantedRow(
            .row, "sign_in_challenges",
            """
            challenge, token_hash, account, session_generation, reason, kinds, device, \
            is_known_device, details, attempts, expires_at_ms
            """,
            values: """
                account, CAST(account AS BLOB), account, 1, 4, 'password', x'00', 0, x'00', 0, 1
                """),
        PlantedRow(
            .row, "second_factors",
            "factor, account, kind, details, last_step, added_at_ms, last_used_at_ms",
            values: "account, account, 'totp', x'00', 1, 1, 1"),
        PlantedRow(
            .row, "recovery_codes",
            "code, account, look_up_key",
            values: "account, account, CAST(account AS BLOB)"),
        PlantedRow(
            .row, "passkeys",
            """
            passkey, account, look_up_key, details, relying_party, sign_count, flags, added_at_ms, \
            last_used_at_ms
            """,
            values: "account, account, CAST(account AS BLOB), x'00', 'example.org', 0, 0, 1, 1"),
        PlantedRow(
            .row, "notices",
            "account, kind, mailed_at_ms",
            values: "account, 1, 1"),
        PlantedRow(
            .row, "known_devices",
            "device, account, device_key, seen_at_ms",
            values: "account, account, x'00', 1"),
        PlantedRow(
            .row, "sign_in_memory",
            "account, sealed",
            values: "account, x'00'"),
        PlantedRow(
            .row, "suspensions",
            "account, reason, since_ms",
            values: "account, x'00', 1"),
        PlantedRow(
            .row, "consents",
            "account, kind, version, given_at_ms, source, app",
            values: "account, 1, '1', 1, 'app', ''"),
        PlantedRow(
            .row, "parental_consents",
            "account, state, changed_at_ms",
            values: "account, 1, 1"),
        PlantedRow(
            .row, "removed_identities",
            "account, look_up_key",
            values: "account, x'00'"),
        PlantedRow(
            .row, "imported_accounts",
            "account, look_up_key, external_id, imported_at_ms",
            values: "account, CAST(account AS BLOB), x'00', 1"),
        PlantedRow(
            .row, "custom_claims",
            "account, document",
            values: "account, x'00'"),
        PlantedRow(
            .job, "guest_migrations",
            "migration, account, choice, state, documents, done, created_at_ms, changed_at_ms",
            values: "account, account, 1, 3, 0, 0, 1, 1"),
        PlantedRow(
            .document, "guest_migration_documents",
            "item, account, migration, payload, bytes, changed_at_ms",
            values: "account, account, account, x'00', 1, 1"),
        PlantedRow(
            .job, "exports",
            "export, account, state, requested_at_ms, voice, attempts, bytes, expires_at_ms",
            values: "account, account, 1, 1, 'en', 0, 0, 9000000000000000"),
        PlantedRow(
            .job, "deletions",
            """
            account, step, source, requested_at_ms, due_at_ms, next_attempt_at_ms, \
            attempts, sealed_key, payload, is_backend_done
            """,
            values: "account, 4, 'owner', 1, 1, 1, 0, x'00', x'00', 0"),
    ]
}
