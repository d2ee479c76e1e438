package import ServiceRuntime
package import Storage

/// Orders for the grants of Apple and Google. Each order is enqueued in the transaction of its cause
/// and delivered after it (`GrantDelivery`), so that no sign-in waits for a provider or fails
/// because of it.
///
/// | cause | order |
/// |---|---|
/// | a sign-in or a link brings an authorization code | `exchange`, within five minutes |
/// | an identity is unlinked, taken over, or deleted with its account | `revoke`, retried |
/// | the provider reports that consent is revoked | none: the grant no longer exists |
package struct Grants: AccountWriting, Sendable {
    /// A code is valid for five minutes at Apple, and for longer at Google; part of that has passed
    /// when it arrives here.
    static let codeLife: Duration = .seconds(300)
    /// How long a revocation is retried: more time than an operator needs to repair a key.
    package static let revocationLife: Duration = .seconds(30 * 24 * 3_600)

    /// Writes accounts.
    package let writer: AccountWriter

    /// The orders of one store.
    package init(writer: AccountWriter) { self.writer = writer }

    /// Orders the exchange of the code that came with an identity, if there is one that `endpoints`
    /// exchange. Call it in the transaction that signs in or links.
    func exchange(
        _ proved: ProvedIdentity, at endpoints: GrantEndpoints, for account: AccountID,
        _ transaction: Transaction
    ) throws {
        guard let code = proved.code, endpoints.exchange(code) else { return }
        let order = GrantOrder(
            account: account, lookUpKey: keys.lookUpKey(of: proved), provider: code.provider,
            client: code.client, subject: proved.subject, secret: code.code,
            until: transaction.at + Self.codeLife)
        try enqueue(order, .grantExchange, transaction)
    }

    /// Orders the revocation of an account's grants, or of one `identity`. Call it in the
    /// transaction that removes the identities, before the removal.
    func revoke(
        of account: AccountID, identity: Int64? = nil, _ transaction: Transaction
    ) throws {
        for (lookUpKey, holder) in try transaction.grants(of: account)
        where identity == nil || holder.identity == identity {
            guard let grant = try grant(of: holder) else { continue }
            try revoke(grant, of: account, lookUpKey: lookUpKey, transaction)
        }
    }

    /// Orders the revocation of one grant.
    func revoke(
        _ grant: StoredGrant, of account: AccountID, lookUpKey: [UInt8], _ transaction: Transaction
    ) throws {
        let order = GrantOrder(
            account: account, lookUpKey: lookUpKey, provider: grant.provider,
            client: grant.client, subject: "", secret: grant.refreshToken,
            until: transaction.at + Self.revocationLife)
        try enqueue(order, .grantRevocation, transaction)
    }

    /// The grant of an identity, decrypted; nil for none.
    /// - Throws: if the account's key does not decrypt, or the grant was sealed under another.
    package func grant(of holder: GrantHolder) throws -> StoredGrant? {
        guard let sealed = holder.sealedGrant else { return nil }
        return StoredGrant(text: try vault(holder).open(sealed, .identityGrant(holder.identity)))
    }

    /// The vault of an identity's account.
    func vault(_ holder: GrantHolder) throws -> AccountVault {
        try reader.vault(of: holder.account, sealedKey: holder.sealedKey)
    }

    private func enqueue(
        _ order: GrantOrder, _ topic: OutboxTopic, _ transaction: Transaction
    ) throws {
        try transaction.enqueue(order.message(topic, key: outbox.newKey(), under: keys.outbox))
    }
}

/// The columns of an identity that its grant needs.
package struct GrantHolder: Hashable, Sendable {
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
            SELECT \(GrantHolder.columns)
            FROM identities JOIN account_keys ON account_keys.account = identities.account
            WHERE look_up_key = ?
            """, [.blob(lookUpKey)], GrantHolder.init)
    }

    /// The identities of an account that have grants, with their look-up keys.
    /// - Throws: `SQLError`.
    package func grants(
        of account: AccountID
    ) throws -> [(lookUpKey: [UInt8], holder: GrantHolder)] {
        try query(
            """
            SELECT \(GrantHolder.columns), look_up_key
            FROM identities JOIN account_keys ON account_keys.account = identities.account
            WHERE identities.account = ? AND sealed_grant IS NOT NULL
            """, [.integer(account.key)]
        ) { (try $0.blob("look_up_key"), try GrantHolder($0)) }
    }
}

extension GrantHolder {
    /// The columns that `init` reads.
    fileprivate static let columns = "identity, identities.account, sealed_key, sealed_grant"

    fileprivate init(_ row: SQLRow) throws {
        identity = try row.integer("identity")
        account = try AccountID(stored: row.integer("account"))
        sealedKey = try row.blob("sealed_key")
        sealedGrant = try row.optionalBlob("sealed_grant")
    }
}

extension Transaction {
    /// Stores an identity's grant; nil removes it.
    func setGrant(_ identity: Int64, _ sealed: [UInt8]?) throws {
        try put(
            "UPDATE identities SET sealed_grant = ? WHERE identity = ?",
            [SQLValue(sealed), .integer(identity)])
    }
}
