import Addresses
import Messages
import ServiceRuntime
import Storage

/// Writes the decisions of `ProviderNoticeRule`.
struct ProviderNoticeActs {
    let parts: IdentityParts
    let transaction: Transaction

    func run(
        _ decision: ProviderNoticeRule.Decision, _ notice: ProviderNotice,
        _ found: NoticedIdentity, _ row: AccountRow
    ) throws {
        switch decision {
        case .nothing: break
        case .unlink:
            try endSessions(notice, row)
            try tell(found, row)
            try transaction.removeIdentity(found.identity)
        case .keep:
            try endSessions(notice, row)
            try transaction.setGrant(found.identity, nil)
        case .tellRelay: try tellRelay(notice, found)
        }
        guard let kind = Self.kind(of: notice.event) else { return }
        try transaction.audit(AuditEvent(kind, account: row.account.key))
    }

    /// Ends the sessions that were opened before the event. Sessions from a later sign-in with
    /// another method are kept. The event's time may be in whole seconds, so the whole second
    /// counts as before.
    private func endSessions(_ notice: ProviderNotice, _ row: AccountRow) throws {
        let until = min(notice.at + .seconds(1), transaction.at)
        try transaction.endSessions(
            of: row.account, provedUntil: until, reason: .providerRevoked, parts)
    }

    /// Sends the owner a mail, unless the account's address is the provider's relay, which ends
    /// with the consent.
    private func tell(_ found: NoticedIdentity, _ row: AccountRow) throws {
        guard try !isRelay(of: found, row) else { return }
        try NoticeMail(parts: parts).write(
            .methodRemoved, to: row.account, DeviceShown(nil), naming: [found.method],
            at: transaction.at.milliseconds, key: IdentityOutbox(parts: parts).newKey(),
            transaction)
    }

    private func isRelay(of found: NoticedIdentity, _ row: AccountRow) throws -> Bool {
        guard let address = row.address else { return false }
        let vault = try AccountReader(parts: parts).vault(row)
        let details = try IdentityDetails(
            text: vault.open(found.sealedDetails, .identityDetails(found.identity)))
        guard details.isRelay, let relay = EmailAddress(details.email) else { return false }
        return parts.keys.lookUpKey(of: relay) == address.lookUpKey
    }

    private func tellRelay(_ notice: ProviderNotice, _ found: NoticedIdentity) throws {
        guard case .relay(let address, let isOff) = notice.event else { return }
        try transaction.setRelayTold(found.identity, at: notice.at)
        try transaction.enqueue(
            IdentityOutbox(parts: parts).relay(address, isOff: isOff, of: found.account))
    }

    /// Nil for an event without effect.
    private static func kind(of event: ProviderNotice.Event) -> AuditKind? {
        switch event {
        case .other: nil
        case .consentRevoked: .consentRevoked
        case .accountDeleted: .providerAccountDeleted
        case .relay(_, let isOff): isOff ? .relayTurnedOff : .relayTurnedOn
        }
    }
}
