import Storage

/// The tables of the identity service whose rows expire.
extension IdentityTables {
    /// Claims and email changes hold personal data. Their accounts do not change.
    static let purges = [
        Purge("links", key: "link", expiry: "expires_at_ms"),
        Purge("email_changes", key: "account", expiry: "expires_at_ms"),
        Purge("claims", key: "account", expiry: "expires_at_ms"),
        Purge(
            "phone_codes", key: "code", expiry: "expires_at_ms", after: StoredPhoneCode.retention),
        Purge(
            "number_changes", key: "change", expiry: "told_at_ms",
            after: NumberChangeRule.retention),
        Purge("underage_devices", key: "number", expiry: "expires_at_ms"),
        Purge("used_nonces", key: "nonce", expiry: "expires_at_ms"),
        Purge("provider_notices", key: "notice", expiry: "expires_at_ms"),
        DocumentAudit.purge,
        NewcomerBytes.purge,
        Purge("guesses", key: "charge", expiry: "expires_at_ms"),
        StoredMigration.purge,
        // Their files are removed by `BlobSweep`.
        Purge("exports", key: "export", expiry: "expires_at_ms"),
        Purge(
            "unrequested_mails", inOrderOf: "mail", expiry: "mailed_at_ms",
            after: UnrequestedMailRule.window),
        Purge("notices", inOrderOf: "notice", expiry: "mailed_at_ms", after: NoticeRule.window),
    ]
}
