import ServiceRuntime
import Storage

/// Apple's grants, as other flows order them: each order is written with the change that it follows
/// and carried out behind it (`GrantDelivery`), so that no sign-in waits for Apple or fails with it.
///
/// | what happens | what is ordered |
/// |---|---|
/// | a sign-in or a link brings an authorization code | `exchange`, within the code's five minutes |
/// | an identity is unlinked, taken over, or deleted with its account | `revoke`, while it takes |
/// | Apple itself says that consent is revoked | nothing: there is no grant any more |
struct Grants: Sendable {
    /// A code lives five minutes at Apple; some have passed when it reaches us.
    static let codeLife: Duration = .seconds(300)
    /// So long a revocation is tried: longer than an operator needs to mend a key.
    static let revocationLife: Duration = .seconds(30 * 24 * 3_600)

    let parts: IdentityParts

    /// Has the code that came with an identity exchanged, if one did, in the transaction that
    /// admits or links it.
    func exchange(
        _ proved: ProvedIdentity, for account: AccountID, _ transaction: Transaction
    ) throws {
        guard parts.keepsGrants, let code = proved.code else { return }
        let order = GrantOrder(
            account: account, lookUpKey: parts.keys.lookUpKey(of: proved), client: code.client,
            subject: proved.subject, secret: code.code, until: transaction.at + Self.codeLife)
        try enqueue(order, .grantExchange, transaction)
    }

    /// Has the grants of an account revoked, in the transaction that removes its identities and
    /// before it does; `identity` picks one.
    func revoke(
        of account: AccountID, identity: Int64? = nil, _ transaction: Transaction
    ) throws {
        for (lookUpKey, holder) in try transaction.grants(of: account)
        where identity == nil || holder.identity == identity {
            guard let grant = try grant(of: holder) else { continue }
            try revoke(grant, of: account, lookUpKey: lookUpKey, transaction)
        }
    }

    /// Has one grant revoked.
    func revoke(
        _ grant: StoredGrant, of account: AccountID, lookUpKey: [UInt8], _ transaction: Transaction
    ) throws {
        let order = GrantOrder(
            account: account, lookUpKey: lookUpKey, client: grant.client, subject: "",
            secret: grant.refreshToken, until: transaction.at + Self.revocationLife)
        try enqueue(order, .grantRevocation, transaction)
    }

    /// The grant of an identity, opened; nil for none.
    func grant(of holder: GrantHolder) throws -> StoredGrant? {
        guard let sealed = holder.sealedGrant else { return nil }
        return StoredGrant(text: try vault(holder).open(sealed, .identityGrant(holder.identity)))
    }

    /// The vault of an identity's account.
    func vault(_ holder: GrantHolder) throws -> AccountVault {
        try AccountVault(
            of: holder.account, sealedKey: holder.sealedKey, under: parts.keys.accounts,
            randomness: parts.randomness)
    }

    private func enqueue(
        _ order: GrantOrder, _ topic: OutboxTopic, _ transaction: Transaction
    ) throws {
        try transaction.enqueue(
            order.message(
                topic, key: IdentityOutbox(parts: parts).newKey(), under: parts.keys.outbox))
    }
}
