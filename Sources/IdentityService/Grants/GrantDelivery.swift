import Contracts
import Cryptography
import Logging
import ServiceRuntime
import Storage

/// Delivers the outbox's orders to Apple and Google (G-04, G-05). If a delivery throws, the relay
/// retries it with backoff until the order expires.
///
/// A crash between the provider's response and the commit loses a grant: the code is used, and the
/// provider rejects it the second time. The next sign-in brings another code. Only if the account is deleted
/// before that is there no grant to revoke.
package struct GrantDelivery: AccountWriting, Sendable {
    let store: Store
    /// Writes accounts.
    package let writer: AccountWriter
    let time: any Time
    let logger: Logger
    /// The providers' endpoints.
    let endpoints: GrantEndpoints

    /// Exchanges a code and stores the grant, sealed. A grant for another subject is discarded: if
    /// it were stored, the deletion of one account would revoke another person's consent. If the
    /// identity was removed in the meantime, the grant is revoked.
    /// - Throws: `auth/provider-unavailable` and storage errors; the relay retries.
    func exchange(_ message: OutboxMessage) async throws {
        let order = try GrantOrder(message, under: keys.outbox)
        guard time.now() < order.until else { return try await refuse(order, "expired") }
        guard try await !isDone(order, message) else { return }
        let endpoint = try endpoints.endpoint(of: order.provider)
        switch try await endpoint.exchange(code: order.secret, client: order.client) {
        case .granted(let grant):
            guard grant.subject == order.subject else {
                return try await refuse(order, "other-subject")
            }
            try await keep(grant, order, message)
        case .withoutToken:
            guard try await !hasGrant(order) else { return }
            try await refuse(order, "no-refresh-token")
        case .refused(let word): try await refuse(order, word)
        case .later(let word): throw later(order, word)
        }
    }

    /// Revokes a grant. If the identity is linked again, the grant is kept: the provider would revoke
    /// the person's whole consent, which by now includes a newer one.
    /// - Throws: `auth/provider-unavailable` and storage errors; the relay retries.
    func revoke(_ message: OutboxMessage) async throws {
        try await revoke(GrantOrder(message, under: keys.outbox), key: message.key)
    }

    /// The same for an order that is stored elsewhere, with a deletion.
    /// - Parameter key: identifies the order.
    /// - Throws: as `revoke(_:)`.
    package func revoke(_ order: GrantOrder, key: String) async throws {
        guard time.now() < order.until else { return try await giveUp(order, "expired") }
        guard try await !isLinkedAgain(order, key) else {
            return try await giveUp(order, "linked-again")
        }
        let endpoint = try endpoints.endpoint(of: order.provider)
        switch try await endpoint.revoke(token: order.secret, client: order.client) {
        case .done: try await audit(AuditEvent(.grantRevoked, account: order.account.key))
        case .refused(let word): try await giveUp(order, word)
        case .later(let word): throw later(order, word)
        }
    }

    private func later(_ order: GrantOrder, _ word: String) -> ServiceError {
        ServiceError(.providerUnavailable, detail: "\(order.provider.rawValue)-\(word)")
    }

    /// Whether the identity has a grant already. Google gives a refresh token with the first consent
    /// only, so a later code without one is no failure.
    private func hasGrant(_ order: GrantOrder) async throws -> Bool {
        let holder = try await store.read { try $0.grantHolder(lookUpKey: order.lookUpKey) }
        return holder?.sealedGrant != nil
    }

    /// Whether this order was executed before, and only its removal from the outbox failed.
    private func isDone(_ order: GrantOrder, _ message: OutboxMessage) async throws -> Bool {
        guard
            let holder = try await store.read({
                try $0.grantHolder(lookUpKey: order.lookUpKey)
            })
        else { return false }
        return try Grants(writer: writer).grant(of: holder)?.order == message.key
    }

    /// Whether an account has the identity again. If so, the grant is stored there, unless it
    /// already has one.
    private func isLinkedAgain(_ order: GrantOrder, _ key: String) async throws -> Bool {
        let grants = Grants(writer: writer)
        let stored = StoredGrant(
            provider: order.provider, client: order.client, refreshToken: order.secret, order: key)
        return try await store.write(about: []) { transaction in
            let found = try transaction.locked {
                try transaction.grantHolder(lookUpKey: order.lookUpKey)
            } about: {
                .account($0.account)
            }
            guard let holder = found else { return false }
            if holder.sealedGrant == nil {
                let sealed = try grants.vault(holder).seal(
                    stored.text, .identityGrant(holder.identity))
                try transaction.setGrant(holder.identity, sealed)
            }
            return true
        }
    }

    private func keep(
        _ grant: GrantAnswer.Grant, _ order: GrantOrder, _ message: OutboxMessage
    ) async throws {
        let stored = StoredGrant(
            provider: order.provider, client: order.client,
            refreshToken: grant.refreshToken.withBytes { String(decoding: $0, as: UTF8.self) },
            order: message.key)
        let grants = Grants(writer: writer)
        // The provider has answered, and the code is used.
        try await store.write(about: [.account(order.account)], evenIfCancelled: true) {
            transaction in
            guard let holder = try transaction.grantHolder(lookUpKey: order.lookUpKey),
                holder.account == order.account
            else {
                return try grants.revoke(
                    stored, of: order.account, lookUpKey: order.lookUpKey, transaction)
            }
            let sealed = try grants.vault(holder).seal(stored.text, .identityGrant(holder.identity))
            try transaction.setGrant(holder.identity, sealed)
            try transaction.audit(AuditEvent(.grantKept, account: order.account.key))
        }
    }

    private func refuse(_ order: GrantOrder, _ word: String) async throws {
        logger.warning(
            "identity.grant.exchange.failed",
            "exchanging an authorization code failed; this account has no grant to revoke",
            fields: [.account: .text(order.account.text), .reason: .text(word)])
        try await audit(
            AuditEvent(
                .grantRefused, account: order.account.key, outcome: .invalidProviderToken))
    }

    private func giveUp(_ order: GrantOrder, _ word: String) async throws {
        logger.warning(
            "identity.grant.revoke.failed", "revoking a provider's grant failed",
            fields: [.account: .text(order.account.text), .reason: .text(word)])
        try await audit(
            AuditEvent(
                .grantRevocationGivenUp, account: order.account.key, outcome: .providerRevoked))
    }

    private func audit(_ event: AuditEvent) async throws {
        try await store.write(about: [], evenIfCancelled: true) { try $0.audit(event) }
    }
}
