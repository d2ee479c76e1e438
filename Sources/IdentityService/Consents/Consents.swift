package import Messages
package import ServiceRuntime
package import Storage

/// What a consent is about. Raw values are stored and must never change; they are also those of the
/// message.
package enum ConsentKind: Int64, CaseIterable, Sendable {
    case terms = 1
    case privacy = 2
    case marketing = 3
    case analytics = 4

    /// The kind in a message.
    var message: GatewayV1.ConsentKind { GatewayV1.ConsentKind(rawValue: Int32(rawValue)) }
}

/// Where a consent was given. Raw values are stored and must never change.
package enum ConsentSource: String, Sendable {
    case signUp = "sign-up"
    case acceptTerms = "accept-terms"
    case setPrivacy = "set-privacy"
    case imported = "import"
}

/// A consent as it is stored.
package struct GivenConsent: Hashable, Sendable {
    /// What it is about.
    package let kind: ConsentKind
    /// Of terms and privacy text: the accepted version. Otherwise that of the privacy text at that
    /// time; may be empty.
    package let version: String
    /// When it was given.
    package let givenAt: Timestamp
    /// Nil while it counts.
    package let withdrawnAt: Timestamp?
    /// The name of a `ConsentSource`.
    package let source: String
    /// The app that it was given in; may be empty.
    package let app: String
}

/// What an account has agreed to, also what it has withdrawn since.
package struct GivenConsents: Hashable, Sendable {
    /// At most one of each kind, in the order of the kinds.
    package let all: [GivenConsent]

    /// The consent of a kind, if it counts.
    subscript(_ kind: ConsentKind) -> GivenConsent? {
        all.first { $0.kind == kind && $0.withdrawnAt == nil }
    }

    /// The accepted versions.
    package var versions: ConsentVersions {
        ConsentVersions(
            terms: self[.terms]?.version ?? "", privacy: self[.privacy]?.version ?? "")
    }

    /// Marketing and analytics; and processing, which lasts as long as the account (D2), without its
    /// sentence.
    package var privacy: GatewayV1.PrivacySettings {
        GatewayV1.PrivacySettings(
            marketing: self[.marketing] != nil, analytics: self[.analytics] != nil,
            processing: true)
    }

    /// The same with the sentence about processing, for the owner.
    func privacy(in voice: Voice) -> GatewayV1.PrivacySettings {
        var privacy = privacy
        privacy.processingSentence = voice.sentence("privacy/processing")
        return privacy
    }

    /// Whether giving a consent would change nothing. A new version of the privacy text does not
    /// give marketing or analytics again.
    func has(_ kind: ConsentKind, _ version: String) -> Bool {
        guard let given = self[kind] else { return false }
        return switch kind {
        case .terms, .privacy: given.version == version
        case .marketing, .analytics: true
        }
    }

    /// Those that count, as messages.
    var messagesInForce: [GatewayV1.Consent] { messages.filter { $0.withdrawn == nil } }

    /// The consents as messages.
    var messages: [GatewayV1.Consent] {
        all.map { given in
            GatewayV1.Consent(
                kind: given.kind.message, version: given.version,
                givenAtMs: given.givenAt.milliseconds, source: given.source, app: given.app,
                withdrawn: given.withdrawnAt.map { .withdrawnAtMs($0.milliseconds) })
        }
    }
}

/// Whether what an account has accepted is enough (G-23). Pure.
///
///     mode       accepted                outcome
///     off        any                     ok
///     asked      the current versions    ok
///     asked      anything else           ask
///     required   the current versions    ok
///     required   anything else           refuse
///
/// `refuse` is for a sign-up by which an account with a sign-in method comes to be. An account that
/// exists is asked instead, and its sessions go on: a new version must not lock all users out.
/// Guests are neither asked nor refused until they become accounts.
enum ConsentRule {
    enum Outcome: Hashable, Sendable {
        case ok
        /// The account has the required action "accept terms".
        case ask
        /// The sign-up is refused with `auth/consent-required`.
        case refuse
    }

    /// The outcome for what an account has accepted and not withdrawn.
    /// - Parameter current: The current versions; nil if the operator has named none.
    static func outcome(
        _ mode: ConsentSettings.Mode, current: ConsentVersions?, given: ConsentVersions
    ) -> Outcome {
        guard let current, given != current else { return .ok }
        return switch mode {
        case .off: .ok
        case .asked: .ask
        case .required: .refuse
        }
    }
}

extension ConsentSettings {
    /// Whether an account lacks what the operator asks for.
    package func isLacking(_ given: GivenConsents) -> Bool {
        ConsentRule.outcome(mode, current: current, given: given.versions) != .ok
    }

    /// Refuses a sign-up without the current versions, where they are required.
    /// - Parameter guest: What the calling guest has accepted before; nil without one.
    /// - Throws: `auth/consent-required`.
    func require(
        _ acceptance: Acceptance, or guest: GivenConsents? = nil
    ) throws(ServiceError) {
        for given in [acceptance.versions, guest?.versions ?? .none] {
            if ConsentRule.outcome(mode, current: current, given: given) != .refuse { return }
        }
        throw ServiceError(.consentRequired, fields: ["acceptance"])
    }
}

/// The schema of consents.
extension IdentityTables {
    /// At most one row a kind: what was given last. The history is in the audit trail. A version is
    /// the operator's word for a text, and says nothing about the person.
    package static let consents = """
        CREATE TABLE consents (
            consent INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES accounts,
            kind INTEGER NOT NULL,
            version TEXT NOT NULL,
            given_at_ms INTEGER NOT NULL,
            withdrawn_at_ms INTEGER,
            source TEXT NOT NULL,
            app TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX consents_by_account ON consents (account, kind);
        """
}

extension SQLSession {
    /// What an account has agreed to.
    /// - Throws: `SQLError`.
    package func consents(of account: AccountID) throws -> GivenConsents {
        GivenConsents(
            all: try query(
                """
                SELECT kind, version, given_at_ms, withdrawn_at_ms, source, app FROM consents
                WHERE account = ? ORDER BY kind
                """, [.integer(account.key)]
            ) { row in
                let kind = try row.integer("kind")
                guard let known = ConsentKind(rawValue: kind) else {
                    throw SQLError(.unexpectedValue, detail: "consents.kind \(kind)")
                }
                return GivenConsent(
                    kind: known, version: try row.text("version"),
                    givenAt: try row.timestamp("given_at_ms"),
                    withdrawnAt: try row.optionalTimestamp("withdrawn_at_ms"),
                    source: try row.text("source"), app: try row.text("app"))
            })
    }
}

extension Transaction {
    /// Records a consent, in place of the former one of its kind.
    /// - Parameter app: The app that it was given in; nil if it is not known.
    /// - Throws: `SQLError`.
    package func give(
        _ kind: ConsentKind, version: String, to account: AccountID, by source: ConsentSource,
        in app: String?
    ) throws {
        try put(
            """
            INSERT INTO consents (
                account, kind, version, given_at_ms, withdrawn_at_ms, source, app)
            VALUES (?, ?, ?, ?, NULL, ?, ?)
            ON CONFLICT (account, kind) DO UPDATE SET
                version = excluded.version, given_at_ms = excluded.given_at_ms,
                withdrawn_at_ms = NULL, source = excluded.source, app = excluded.app
            """,
            [
                .integer(account.key), .integer(kind.rawValue), .text(version), SQLValue(at),
                .text(source.rawValue), .text(app ?? ""),
            ])
    }

    /// Records that a consent no longer counts.
    func withdraw(_ kind: ConsentKind, of account: AccountID) throws {
        try put(
            """
            UPDATE consents SET withdrawn_at_ms = ?
            WHERE account = ? AND kind = ? AND withdrawn_at_ms IS NULL
            """,
            [SQLValue(at), .integer(account.key), .integer(kind.rawValue)])
    }

    /// Records that no consent of an account counts any longer.
    func withdrawConsents(of account: AccountID) throws {
        try put(
            """
            UPDATE consents SET withdrawn_at_ms = ?
            WHERE account = ? AND withdrawn_at_ms IS NULL
            """, [SQLValue(at), .integer(account.key)])
    }

    /// Writes an audit event about a consent; `attempt` is its kind.
    func audit(
        _ event: AuditKind, _ kind: ConsentKind, _ account: AccountID, from origin: CallOrigin
    ) throws {
        try audit(
            AuditEvent(event, account: account.key, attempt: kind.rawValue).from(origin))
    }
}
