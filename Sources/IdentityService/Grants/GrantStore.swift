import ServiceRuntime
import Storage

/// The columns of an identity that its grant needs.
struct GrantHolder: Hashable, Sendable {
    /// The identity's row key.
    let identity: Int64
    let account: AccountID
    /// The account's key, sealed.
    let sealedKey: [UInt8]
    /// Nil for none.
    let sealedGrant: [UInt8]?
}

extension SQLSession {
    /// The identity of a look-up key.
    func grantHolder(lookUpKey: [UInt8]) throws -> GrantHolder? {
        try queryOne(
            """
            SELECT identity, identities.account, sealed_key, sealed_grant
            FROM identities JOIN account_keys ON account_keys.account = identities.account
            WHERE look_up_key = ?
            """, [.blob(lookUpKey)]
        ) {
            GrantHolder(
                identity: try $0.integer(0), account: try AccountID(stored: $0.integer(1)),
                sealedKey: try $0.blob(2), sealedGrant: try $0.optionalBlob(3))
        }
    }

    /// The identities of an account that have grants, with their look-up keys.
    func grants(of account: AccountID) throws -> [(lookUpKey: [UInt8], holder: GrantHolder)] {
        try query(
            """
            SELECT identity, identities.account, sealed_key, sealed_grant, look_up_key
            FROM identities JOIN account_keys ON account_keys.account = identities.account
            WHERE identities.account = ? AND sealed_grant IS NOT NULL
            """, [.integer(account.key)]
        ) {
            (
                try $0.blob(4),
                GrantHolder(
                    identity: try $0.integer(0), account: try AccountID(stored: $0.integer(1)),
                    sealedKey: try $0.blob(2), sealedGrant: try $0.optionalBlob(3))
            )
        }
    }
}

extension Transaction {
    /// Stores an identity's grant; nil removes it.
    func setGrant(_ identity: Int64, _ sealed: [UInt8]?) throws {
        try execute(
            "UPDATE identities SET sealed_grant = ? WHERE identity = ?",
            [SQLValue(sealed), .integer(identity)])
    }
}
