import EmailAddresses
import Messages
import ServiceRuntime
import Storage

/// What each decision of `ProviderNoticeRule` writes.
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

    /// Of the sessions that were opened before: who has signed in since, in another way, stays.
    /// A notice may tell whole seconds, so its whole second counts.
    private func endSessions(_ notice: ProviderNotice, _ row: AccountRow) throws {
        let until = min(notice.at + .seconds(1), transaction.at)
        try transaction.endSessions(
            of: row.account, provedUntil: until, reason: .providerRevoked, parts)
    }

    /// By a mail to the account's address, unless it is the relay, which has gone with the consent.
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

    /// Nil for what is not acted on.
    private static func kind(of event: ProviderNotice.Event) -> AuditKind? {
        switch event {
        case .other: nil
        case .consentRevoked: .consentRevoked
        case .accountDeleted: .providerAccountDeleted
        case .relay(_, let isOff): isOff ? .relayTurnedOff : .relayTurnedOn
        }
    }
}
