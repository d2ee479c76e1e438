/// The schema that notices add to the identity service.
enum ProviderNoticeTables {
    /// `provider_notices`: processed notices, by a keyed hash of issuer and `jti`, kept until they
    /// would be rejected for their age. `relay_told_at_ms`: time of the identity's last processed
    /// relay event, so that a late notice changes nothing.
    static let sql = """
        CREATE TABLE provider_notices (
            notice INTEGER PRIMARY KEY AUTOINCREMENT,
            notice_key BLOB NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX provider_notices_by_key ON provider_notices (notice_key);
        CREATE INDEX provider_notices_by_expiry ON provider_notices (expires_at_ms);
        ALTER TABLE identities ADD COLUMN relay_told_at_ms INTEGER;
        """
}
