import Contracts
import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// A link that an app makes in its session, for a page in a browser (G-32): for people who sign in by
/// a provider only, which a page cannot take. It is a row of `links`, whose `about` is the session, and
/// it stands for that session and its recent proof:
///
///     the link                                        the session        result
///     of this purpose, not expired, not used          live               the account
///     the same                                        ended              auth/invalid-link
///     used, expired, replaced, of another purpose,    any                auth/invalid-link
///     invented
///
/// Attack: a thief of an access token deletes the account by the page. To make the link needs what the
/// call needs for which it stands: a proof of the last five minutes.
///
/// Attack: the link leaks, from a log or the history of a browser. It serves once, for ten minutes, and
/// no longer than its session: session says whether that lives, and an end that identity records
/// (`endSessions`) removes the link at once, before session learns of it.
package struct SessionLink: Hashable, Sendable {
    /// How long it works: a person opens it at once, and reads the page.
    static let life = Duration.seconds(600)

    /// The key of its row.
    package let key: Int64
    /// The account that it is about.
    package let account: AccountID
    /// Its session, "ses_…".
    package let session: String
}

/// A link as its app gets it.
package struct IssuedSessionLink: Hashable, Sendable {
    /// The page, with the token.
    package let url: String
    /// When it ends.
    package let expiresAt: Timestamp
}

extension LinkPurpose {
    /// For the trail.
    fileprivate var detail: AuditDetail.IssuedLink {
        get throws(ServiceError) {
            switch self {
            case .sessionDeletion: .deleteAccount
            case .sessionExport: .yourData
            default: throw ServiceError(.internalError, detail: "no link of a session")
            }
        }
    }
}

extension SessionOwners {
    /// Makes the link of a session, and voids the one before of its purpose. The token is made as that
    /// of a backend's link: a repeat gets the same one, and no store has it.
    /// - Parameters:
    ///   - owner: Who has proved what the page's call needs.
    ///   - check: What else the account must have.
    /// - Throws: `auth/idempotency-key-reused`; as `callersRow` and `requireLive`; as `check`.
    package func issueLink(
        _ purpose: LinkPurpose, to owner: SessionOwner, _ call: RepeatableCall?,
        from origin: CallOrigin, check: @escaping @Sendable (Transaction) throws -> Void = { _ in }
    ) async throws -> IssuedSessionLink {
        let (keys, detail) = (writer.keys, try purpose.detail)
        let seed = writer.randomness.bytes(LinkToken.seedBytes)
        let key = writer.randomness.rowKey()
        let stored = try await store.write(about: [.account(owner.account)]) {
            transaction -> IdentityV1.StoredResponse in
            let row = try transaction.callersRow(owner.account)
            try transaction.requireLive(owner)
            if let first = try transaction.storedResponse(of: call) { return first }
            try check(transaction)
            let expiresAt = transaction.at + SessionLink.life
            try transaction.removeLinks(purpose, of: row.account)
            try transaction.insert(
                NewLink(
                    key: key,
                    tokenHash: LinkToken(issuedFor: seed, keys.links).hash(purpose, keys.links),
                    purpose: purpose, account: row.account,
                    addressKey: row.address?.lookUpKey ?? [], expiresAt: expiresAt,
                    about: owner.session))
            try transaction.audit(
                .linkCreated, row.account, detail: .link(detail), from: origin)
            let response = IdentityV1.StoredResponse(
                account: row.account.key, linkSeed: seed,
                linkExpiresAtMs: expiresAt.milliseconds)
            try transaction.remember(call, response)
            return response
        }
        return IssuedSessionLink(
            url: LinkToken(issuedFor: stored.linkSeed, keys.links)
                .url(purpose, origin: settings.linkOrigin),
            expiresAt: Timestamp(milliseconds: stored.linkExpiresAtMs))
    }

    /// The link of a token, whose session is live. It stays: the change that it is for uses it up.
    /// - Throws: `auth/invalid-link`; the errors of the session service.
    package func link(
        _ token: LinkToken?, _ purpose: LinkPurpose, at moment: Timestamp, in context: CallContext
    ) async throws -> SessionLink {
        guard let hash = token?.hash(purpose, writer.keys.links),
            let link = try await store.read({
                try $0.sessionLink(purpose, tokenHash: hash, at: moment)
            }), try await isLive(link.session, of: link.account, context)
        else { throw ServiceError(.invalidLink) }
        return link
    }

    /// Whether a session of an account is live, as session says.
    /// - Throws: the errors of the session service.
    func isLive(
        _ session: String, of account: AccountID, _ context: CallContext
    ) async throws -> Bool {
        let state = try await sessions.inspectSession(
            SessionV1.InspectSessionRequest(sessionId: session), context.onward())
        return state.live && state.accountId == account.text
    }
}

extension SQLSession {
    /// The link of a session; nil if it has expired or was used.
    /// - Throws: `SQLError`.
    func sessionLink(
        _ purpose: LinkPurpose, tokenHash: [UInt8], at moment: Timestamp
    ) throws -> SessionLink? {
        guard let link = try link(purpose, tokenHash: tokenHash, at: moment),
            let session = link.about?.name
        else { return nil }
        return SessionLink(key: link.key, account: link.account, session: session)
    }

    /// Whether a link of an account is still there: another mail, a new password, a takeover or the end
    /// of its session may have voided it since it was looked up.
    /// - Throws: `SQLError`.
    package func hasLink(
        _ link: Int64, _ purpose: LinkPurpose, of account: AccountID
    ) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM links WHERE link = ? AND account = ? AND purpose = ?",
            [.integer(link), .integer(account.key), .integer(purpose.rawValue)]
        ) { _ in true } ?? false
    }
}

extension Transaction {
    /// Makes the links of an account's sessions void, when the sessions end.
    /// - Parameter session: The one that continues, "ses_…"; empty for none.
    func removeSessionLinks(of account: AccountID, except session: String) throws {
        try put(
            "DELETE FROM links WHERE account = ? AND purpose IN (?, ?) AND about <> ?",
            [
                .integer(account.key), .integer(LinkPurpose.sessionDeletion.rawValue),
                .integer(LinkPurpose.sessionExport.rawValue), .text(session),
            ])
    }
}
