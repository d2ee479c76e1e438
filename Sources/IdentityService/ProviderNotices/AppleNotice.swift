import Cryptography
import EmailAddresses
import ServiceRuntime

/// Why a token is no notice for us. For the log alone.
enum NoticeRefusal: String, Error, Hashable, Sendable {
    /// A claim is missing, or of a wrong kind.
    case claims
    /// `iss` is another's.
    case issuer
    /// `aud` is not only the operator's.
    case audience
    /// `iat` lies ahead.
    case future
    /// `exp` is over, or it is older than any that Apple would still send.
    case old
}

/// Reads the claims of a notice of Apple's, once its signature is found good.
///
/// | claim | rule |
/// |---|---|
/// | `iss` | Apple's, to the byte |
/// | `aud` | a client id of the operator's, or several, all of them his |
/// | `iat` | a whole number of seconds; at most 60 s ahead, at most seven days ago |
/// | `exp` | may be left out; good until 60 s after. Apple gives a notice a day |
/// | `jti` | 1 to 255 bytes |
/// | `events` | an object, or as Apple writes it a text that holds one |
///
/// In `events`, `type` and `sub` must be there. `event_time` may be left out; Apple's documents show
/// seconds and Apple sends milliseconds, so both are read.
///
/// Source: Apple, "Processing changes for Sign in with Apple accounts", and what receivers of it
/// report of the milliseconds, `exp` and the text
struct AppleNotice {
    /// So old a notice may be; its `jti` is remembered for longer.
    static let ageMax: Duration = .seconds(7 * 24 * 3_600)
    private static let leeway: Duration = .seconds(60)
    private static let nameBytesMax = 255
    private static let audiencesMax = 16
    /// The last second that a claim may name: the end of the year 9999, far from any overflow.
    private static let secondsMax: Int64 = 253_402_300_799
    /// From here on a time can only be in milliseconds: as seconds it is the year 5138.
    private static let millisecondsFrom: Int64 = 100_000_000_000

    let notice: ProviderNotice

    /// - Parameters:
    ///   - issuers: The spellings of Apple's name.
    ///   - audiences: The operator's client ids.
    init(
        _ claims: JSONObject, issuers: [String], audiences: Set<String>, at now: Timestamp
    ) throws(NoticeRefusal) {
        guard let issuer = claims["iss"]?.string, let issuedAt = Self.moment(claims["iat"]),
            let id = Self.name(claims["jti"]), let events = Self.events(claims["events"]),
            let type = events["type"]?.string, let subject = Self.name(events["sub"])
        else { throw .claims }
        guard issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) else { throw .issuer }
        try Self.check(claims["aud"], audiences)
        guard issuedAt <= now + Self.leeway else { throw .future }
        guard now < issuedAt + Self.ageMax else { throw .old }
        if let expiry = claims["exp"] {
            guard let expiresAt = Self.moment(expiry) else { throw .claims }
            guard now < expiresAt + Self.leeway else { throw .old }
        }
        notice = ProviderNotice(
            id: id, subject: subject, event: Self.event(type, events),
            // What is said to lie ahead would outlive sign-ins that are still to come.
            at: min(Self.time(events["event_time"]) ?? issuedAt, now))
    }

    private static func event(_ type: String, _ events: JSONObject) -> ProviderNotice.Event {
        switch type {
        case "consent-revoked": .consentRevoked
        // Apple's documents have had both names.
        case "account-delete", "account-deleted": .accountDeleted
        case "email-disabled": relay(events, isOff: true)
        case "email-enabled": relay(events, isOff: false)
        default: .other
        }
    }

    private static func relay(_ events: JSONObject, isOff: Bool) -> ProviderNotice.Event {
        let isPrivate = events["is_private_email"]
        guard isPrivate == .boolean(true) || isPrivate == .string("true"),
            let email = events["email"]?.string, let address = EmailAddress(email)
        else { return .other }
        return .relay(address, isOff: isOff)
    }

    private static func check(
        _ claim: JSONValue?, _ audiences: Set<String>
    ) throws(NoticeRefusal) {
        guard let named = claim.flatMap({ $0.string.map { [$0] } ?? $0.strings }), !named.isEmpty,
            named.count <= audiencesMax
        else { throw .claims }
        guard named.allSatisfy(audiences.contains) else { throw .audience }
    }

    private static func events(_ value: JSONValue?) -> JSONObject? {
        value?.object ?? value?.string.flatMap { JSONReader.object(in: Array($0.utf8)) }
    }

    private static func name(_ value: JSONValue?) -> String? {
        guard let text = value?.string, (1...nameBytesMax).contains(text.utf8.count) else {
            return nil
        }
        return text
    }

    private static func moment(_ value: JSONValue?) -> Timestamp? {
        guard let seconds = value?.integer, (0...secondsMax).contains(seconds) else { return nil }
        return Timestamp(milliseconds: seconds * 1_000)
    }

    private static func time(_ value: JSONValue?) -> Timestamp? {
        guard let number = value?.integer, number >= millisecondsFrom else { return moment(value) }
        return Timestamp(milliseconds: min(number, secondsMax * 1_000))
    }
}
