import JSON
import Messages
import ServiceRuntime

/// The brief session of a page that signs in (S-03). It is in the page's cookie, sealed: no instance
/// has a store, and neither the browser nor a script in it can read the token.
///
/// Attack: somebody opens the browser of a computer in a library after its user. The cookie ends with
/// the session, after 15 minutes at the latest, and the page has a button to sign out.
struct PageSession: Hashable, Sendable {
    /// Lasts as long as the session does.
    var accessToken: String
    let endsAt: Timestamp

    init(accessToken: String, endsAt: Timestamp) {
        (self.accessToken, self.endsAt) = (accessToken, endsAt)
    }

    /// What a sign-in has opened.
    init(_ session: GatewayV1.Session?) {
        self.init(
            accessToken: session?.accessToken ?? "",
            endsAt: Timestamp(milliseconds: session?.accessExpiresAtMs ?? 0))
    }

    /// A member of a visit, which has the token elsewhere (`PackedToken`).
    var json: JSONValue { .object(["ends_at_ms": .integer(endsAt.milliseconds)]) }

    /// Parses what `json` returned.
    init?(_ json: JSONObject, accessToken: String) {
        guard let endsAt = json["ends_at_ms"]?.integer else { return nil }
        self.init(accessToken: accessToken, endsAt: Timestamp(milliseconds: endsAt))
    }
}

/// A sign-in of a page whose first proof was right, and which waits for a second one (F-03).
struct PageChallenge: Hashable, Sendable {
    /// From the error.
    let token: String
    /// The proofs that would do and that a page can take, in the order to offer them.
    let ways: [PageProofWay]
    /// The one that is asked for.
    private(set) var chosen: PageProofKind
    /// Whether its code was sent.
    private(set) var isSent = false

    /// What the error asks for; nil if a page can take none of it.
    /// - Parameter takesPasskeys: Whether the page can ask for one.
    init?(_ asked: ServiceError.SecondProof, takesPasskeys: Bool) {
        let hints = asked.hints + Array(repeating: "", count: asked.kinds.count)
        self.init(
            token: asked.challenge,
            ways: zip(asked.kinds, hints).compactMap { kind, hint in
                PageProofKind(rawValue: kind).map { PageProofWay(kind: $0, hint: hint) }
            }.filter { takesPasskeys || $0.kind != .passkey })
    }

    private init?(token: String, ways: [PageProofWay]) {
        guard let first = ways.first else { return nil }
        (self.token, self.ways, chosen) = (token, ways, first.kind)
    }

    /// Asks for another of `ways`; nothing changes for any other kind.
    mutating func choose(_ kind: PageProofKind) {
        guard kind != chosen, ways.contains(where: { $0.kind == kind }) else { return }
        (chosen, isSent) = (kind, false)
    }

    /// The code of the chosen kind was sent.
    mutating func recordSending() { isSent = true }

    /// The form.
    /// - Parameter prompt: Of a passkey, if that is the chosen kind.
    func form(mayBeginAgain: Bool, prompt: PasskeyPrompt? = nil) -> PageProofForm {
        PageProofForm(
            ways: ways, chosen: chosen, isSent: isSent, mayBeginAgain: mayBeginAgain,
            prompt: prompt)
    }

    /// A member of a visit.
    var json: JSONValue {
        .object([
            "token": .string(token), "chosen": .string(chosen.rawValue), "sent": .boolean(isSent),
            "kinds": .array(ways.map { .string($0.kind.rawValue) }),
            "hints": .array(ways.map { .string($0.hint) }),
        ])
    }

    /// Parses what `json` returned.
    init?(_ json: JSONObject) {
        guard let token = json["token"]?.string, let kinds = json["kinds"]?.strings,
            let hints = json["hints"]?.strings, kinds.count == hints.count,
            let chosen = json["chosen"]?.string.flatMap(PageProofKind.init(rawValue:))
        else { return nil }
        self.init(
            token: token,
            ways: zip(kinds, hints).compactMap { kind, hint in
                PageProofKind(rawValue: kind).map { PageProofWay(kind: $0, hint: hint) }
            })
        choose(chosen)
        isSent = json["sent"] == .boolean(true)
    }
}

/// What the form that adds an authenticator app carries, sealed for its visit: what comes back is
/// what was sent, and the picture can be shown again after a wrong code.
struct PageSetUp: Hashable, Sendable {
    /// For `ConfirmTOTP`.
    let enrollmentToken: String
    /// As people type it.
    let secret: String
    /// For the QR code.
    let uri: String
    /// When the token expires.
    let expiresAt: Timestamp

    init(enrollmentToken: String, secret: String, uri: String, expiresAt: Timestamp) {
        (self.enrollmentToken, self.secret, self.uri) = (enrollmentToken, secret, uri)
        self.expiresAt = expiresAt
    }

    /// What identity has made.
    init(_ begun: GatewayV1.BeginTOTPResponse) {
        self.init(
            enrollmentToken: begun.enrollmentToken, secret: begun.secret, uri: begun.uri,
            expiresAt: Timestamp(milliseconds: begun.expiresAtMs))
    }

    /// The content of the sealed field.
    var json: JSONObject {
        [
            "token": .string(enrollmentToken), "secret": .string(secret), "uri": .string(uri),
            "expires_at_ms": .integer(expiresAt.milliseconds),
        ]
    }

    /// Parses what `json` returned.
    init?(_ json: JSONObject) {
        guard let token = json["token"]?.string, let secret = json["secret"]?.string,
            let uri = json["uri"]?.string, let expiresAt = json["expires_at_ms"]?.integer
        else { return nil }
        self.init(
            enrollmentToken: token, secret: secret, uri: uri,
            expiresAt: Timestamp(milliseconds: expiresAt))
    }
}
