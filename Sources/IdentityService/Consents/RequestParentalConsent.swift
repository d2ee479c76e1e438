import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension ConsentsHandler {
    /// A repeat to the same address within this time sends nothing.
    private static let repeatAfter: Duration = .seconds(3_600)

    /// Mails a link to a parent (G-23). The first request starts the seven days once more, so that
    /// the parent has them whole; later ones do not, or a child could wait for ever.
    ///
    /// Attack: a child answers as the parent. The link is in no response, and its address must not
    /// be the account's, nor the same mailbox with another tag. That a mailbox is a parent's cannot
    /// be known (Sources/SECURITY.md, What is not promised).
    ///
    /// An owner with a proved address can name another parent after one has consented, which ends the
    /// former link; until the new parent consents, the consent is lacking. Attack: a child replaces
    /// the parent in order to escape a withdrawal. It could have named an invented parent at first.
    ///
    /// Attack: a thief of an access token names an own mailbox as the parent's, and refuses there:
    /// the account is deleted. So an account needs a recent proof. A guest has nothing to prove
    /// with; it asks after a sign-up that waits for its mail (`StrictRegistration`).
    func requestParentalConsent(
        _ request: GatewayV1.RequestParentalConsentRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestParentalConsentResponse {
        guard let parent = EmailAddress(request.parentEmail) else {
            throw ServiceError(.invalidEmail, fields: ["parent_email"])
        }
        let owner = try await owners.requireUnlessGuest(.standard, in: context)
        let asking = ParentRequest(
            parent: parent, token: LinkToken.drawn(from: randomness),
            language: context.acceptedLanguage, origin: CallOrigin(context, keys))
        let call = try RepeatableCall(
            AccountConsentsDescription.requestParentalConsent, request, by: owner.account.text,
            context, keys)
        let consent = try await store.write(about: [.account(owner.account)]) { transaction in
            try transaction.requireLive(owner)
            let row = try transaction.callersRow(owner.account)
            if try transaction.storedResponse(of: call) == nil {
                try ask(asking, for: row, transaction)
                try transaction.remember(call, .init(account: row.account.key))
            }
            return try transaction.parentalConsent(of: row.account)
        }
        return GatewayV1.RequestParentalConsentResponse(
            state: (consent?.state).message, expiresAtMs: consent?.expiresAt?.milliseconds ?? 0)
    }

    private func ask(
        _ asking: ParentRequest, for row: AccountRow, _ transaction: Transaction
    ) throws {
        guard let consent = try transaction.parentalConsent(of: row.account),
            consent.expiresAt.map({ transaction.at < $0 }) ?? true,
            case .becomes = ParentalConsentRule.outcome(consent.state, .asked)
        else { throw ServiceError(.operationNotAllowed) }
        let isReplaced = consent.state == .given
        guard !isReplaced || row.address?.provedAt != nil else {
            throw ServiceError(.operationNotAllowed)
        }
        let vault = try reader.vault(row)
        guard try !isOwn(asking.parent, of: row, vault, in: transaction) else {
            throw ServiceError(.invalidEmail, fields: ["parent_email"])
        }
        let asked = try consent.sealedParent.map {
            EmailAddress(try vault.open($0, .parentEmail))?.normalised
        }
        if isReplaced, asked == asking.parent.normalised {
            throw ServiceError(.operationNotAllowed)
        }
        guard
            asked != asking.parent.normalised
                || consent.changedAt + Self.repeatAfter <= transaction.at
        else { return }
        try transaction.requireMail(to: keys.lookUpKey(of: asking.parent))
        let week = transaction.at + AgeGate.parentLife
        let isFirst = consent.state == .needed || consent.state == .inherited
        let end = isFirst ? week : consent.expiresAt ?? week
        try transaction.askParent(
            of: row.account, sealedParent: try vault.seal(asking.parent.entered, .parentEmail),
            tokenHash: asking.token.hash(ofPage: ParentalConsent.page, keys.links), until: end)
        let link = asking.token.url(ofPage: ParentalConsent.page, origin: linkOrigin)
        try transaction.enqueue(
            outbox.email(
                Mail(.parentalConsent, [.link(link), .time(end)]), of: row.account,
                to: asking.parent.mailbox, language: asking.language ?? row.language,
                expiresAt: end, key: outbox.newKey()))
        try transaction.audit(
            .parentAsked, row.account, from: asking.origin,
            subject: keys.subject(of: asking.parent))
    }

    /// Whether an address is the account's, or that of its pending sign-up.
    private func isOwn(
        _ parent: EmailAddress, of row: AccountRow, _ vault: AccountVault,
        in transaction: Transaction
    ) throws -> Bool {
        let claim = try transaction.claim(of: row.account, at: transaction.at)
        let own = [
            try row.address.map { try vault.open($0.sealed, .address) },
            try claim.map { try vault.open($0.sealedAddress, .claimedAddress) },
        ]
        return own.contains { text in
            text.flatMap { EmailAddress($0) }?.withoutTag == parent.withoutTag
        }
    }
}

/// What a request for a parent's consent asks for.
private struct ParentRequest: Sendable {
    let parent: EmailAddress
    let token: LinkToken
    /// The language of the caller; nil for none that mails have.
    let language: String?
    let origin: CallOrigin
}

extension EmailAddress {
    /// The canonical bytes without a tag: `ada+parent@example.org` is delivered to
    /// `ada@example.org` by most providers (RFC 5233).
    fileprivate var withoutTag: [UInt8] {
        let at = normalised.lastIndex(of: UInt8(ascii: "@")) ?? normalised.endIndex
        let name = normalised[..<at].prefix { $0 != UInt8(ascii: "+") }
        return Array(name) + normalised[at...]
    }
}
