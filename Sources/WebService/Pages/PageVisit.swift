import Cryptography
import JSON
import ServiceRuntime

/// What a page keeps between two requests of one browser, in a cookie that only web services can
/// read or make. So the link's token is not in the address bar, the history, a `Referer` or a
/// proxy's log, and no instance has a store.
struct PageVisit: Hashable, Sendable {
    /// How long a page can be open. Short: the cookie of a computer in a library has the token.
    static let lifetime = Duration.seconds(600)
    /// The longest token of a link that is kept. Ours have 43 characters.
    private static let tokenBytesMax = 128
    /// The longest URI that is kept.
    static let continueBytesMax = 1_024
    private static let secretBytes = 32

    /// The token of the link; empty for a page without one.
    var linkToken = ""
    /// What is known of the link, so that a form which failed shows it again without a call.
    var link = PageLink.unknown
    /// The secret of the forms that this visit was given (`PageForm`).
    var secret: [UInt8]
    /// The language of the link, or the one that the person chose since.
    var language: Language?
    /// Where the person can go on afterwards: a redirect URI of an app, or empty.
    var continueURI = ""
    /// The sign-in that waits for a second proof; nil for none.
    var challenge: PageChallenge?
    /// The session of a page that signs in; nil before.
    var session: PageSession?
    /// The way in that the person chose; nil for the first one.
    var way: PageWay?
    /// The number of a sign-in by a code; nil before it was typed.
    var phone: PagePhone?

    /// How long it lasts from `now` on: that of a session ends with it.
    func life(at now: Timestamp) -> Duration {
        session.map { max(.zero, $0.endsAt - now) } ?? Self.lifetime
    }

    /// A new visit, without a link.
    init(_ randomness: any Randomness) {
        secret = randomness.bytes(Self.secretBytes)
    }

    /// Whether a text can be the token of a link.
    static func isLinkToken(_ text: String) -> Bool {
        (1...tokenBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy(\.isBase64URLDigit)
    }
}

/// Seals visits under `web.key`. An attacker with that key can make cookies and forms, and cannot
/// sign in with it.
struct PageVisitSeal: Sendable {
    private let box: SealedBox

    /// - Throws: `CryptographyError.invalidKey` for a key that does not have 32 bytes.
    init(_ key: SecretBytes, randomness: any Randomness) throws {
        guard key.count == SecretFile.keyBytes else {
            throw CryptographyError.invalidKey("web.key must have \(SecretFile.keyBytes) bytes")
        }
        box = try SealedBox(
            keys: [1: KeyDerivation.key(from: key, purpose: "web/page visits")], current: 1,
            randomness: randomness)
    }

    /// The value of the cookie, base64url. It can be opened for the same page only.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    func seal(_ visit: PageVisit, of page: Page, at now: Timestamp) throws -> String {
        let expiresAt = now + visit.life(at: now)
        var document: JSONObject = [
            "token": .string(visit.linkToken),
            "email": .string(visit.link.email),
            "proof": .string(visit.link.proof.rawValue),
            "secret": .string(Base64URL.encode(visit.secret)),
            "language": .string(visit.language?.rawValue ?? ""),
            "continue": .string(visit.continueURI),
            "way": .string(visit.way?.rawValue ?? ""),
            "expires_at_s": .string("\(expiresAt.seconds)"),
        ]
        if let phone = visit.phone {
            _ = document.add("number", .string(phone.number))
            _ = document.add("code_request", .string(phone.request))
        }
        if let challenge = visit.challenge { _ = document.add("challenge", challenge.json) }
        if let session = visit.session { _ = document.add("session", session.json) }
        // JSON has no NUL.
        let token = visit.session.map { [0] + PackedToken.bytes(of: $0.accessToken) } ?? []
        return Base64URL.encode(
            try box.seal(Array(JSONWriter.text(document).utf8) + token, at: Self.place(page)))
    }

    /// The visit in a cookie's value. Nil for one that is forged, expired, of another page or under
    /// another key: to the person these are the same.
    func open(_ value: String, of page: Page, at now: Timestamp) -> PageVisit? {
        guard let sealed = Base64URL.decode(value.utf8),
            // Any reason means that the link has to be opened again.
            let bytes = try? box.open(sealed, at: Self.place(page)),
            case let parts = bytes.split(
                separator: 0, maxSplits: 1, omittingEmptySubsequences: false),
            let document = JSONReader.object(in: Array(parts[0])),
            let expiresAt = document["expires_at_s"]?.string.flatMap({ Int64($0) }),
            now.seconds < expiresAt,
            let token = document["token"]?.string,
            let secret = document["secret"]?.string.flatMap({ Base64URL.decode($0.utf8) })
        else { return nil }
        var visit = PageVisit(secret: secret)
        visit.linkToken = token
        // The cookie of a former version has neither.
        visit.link = PageLink(
            email: document["email"]?.string ?? "",
            proof: document["proof"]?.string.flatMap { PageLink.Proof(rawValue: $0) }
                ?? PageLink.unknown.proof)
        visit.language = document["language"]?.string.flatMap { Language(rawValue: $0) }
        visit.continueURI = document["continue"]?.string ?? ""
        visit.way = document["way"]?.string.flatMap { PageWay(rawValue: $0) }
        visit.phone = document["number"]?.string.map {
            PagePhone(number: $0, request: document["code_request"]?.string ?? "")
        }
        visit.challenge = document["challenge"]?.object.flatMap { PageChallenge($0) }
        let accessToken = parts.count > 1 ? PackedToken.text(parts[1]) : nil
        visit.session = accessToken.flatMap { token in
            document["session"]?.object.flatMap { PageSession($0, accessToken: token) }
        }
        return visit
    }

    /// The value of the hidden field of a form that adds an authenticator app, base64url. It can be
    /// opened in the same visit only.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    func seal(_ setUp: PageSetUp, of visit: PageVisit) throws -> String {
        Base64URL.encode(
            try box.seal(Array(JSONWriter.text(setUp.json).utf8), at: Self.setUpPlace(visit)))
    }

    /// What `seal` sealed; nil for anything else.
    func setUp(_ value: String, of visit: PageVisit) -> PageSetUp? {
        guard let sealed = Base64URL.decode(value.utf8),
            // Any reason means that the set-up has to begin again.
            let bytes = try? box.open(sealed, at: Self.setUpPlace(visit))
        else { return nil }
        return JSONReader.object(in: bytes).flatMap { PageSetUp($0) }
    }

    private static func setUpPlace(_ visit: PageVisit) -> SealedPlace {
        let visit = Base64URL.encode(SHA256.hash(visit.secret))
        return SealedPlace(purpose: "web/page set-up/\(visit)")
    }

    private static func place(_ page: Page) -> SealedPlace {
        SealedPlace(purpose: "web/page visit/\(page.rawValue)")
    }
}

extension PageVisit {
    fileprivate init(secret: [UInt8]) {
        self.secret = secret
    }
}
