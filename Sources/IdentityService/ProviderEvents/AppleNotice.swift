import Addresses
import JSON
import ServiceRuntime

extension AppleNotice {
    /// Why a token is rejected as a notice. Only for the log.
    enum Refusal: String, Error, Hashable, Sendable {
        /// A claim is missing or has the wrong type.
        case claims
        /// `iss` is not Apple.
        case issuer
        /// `aud` contains an id that is not one of the operator's client ids.
        case audience
        /// `iat` is in the future.
        case future
        /// `exp` has passed, or `iat` is older than any notice that Apple still sends.
        case old
    }
}

/// Validates the claims of a notice from Apple. The signature has been verified before.
///
/// | claim | rule |
/// |---|---|
/// | `iss` | Apple's issuer, byte for byte |
/// | `aud` | one of the operator's client ids, or a list of them |
/// | `iat` | a whole number of seconds; at most 60 s ahead, at most seven days ago |
/// | `exp` | optional; accepted until 60 s after. Apple sets it to one day |
/// | `jti` | 1 to 255 bytes |
/// | `events` | an object, or a string that contains one, as Apple sends it |
///
/// In `events`, `type` and `sub` are required. `event_time` is optional. Apple's documentation
/// shows seconds and Apple sends milliseconds, so both are accepted.
///
/// Source: Apple, "Processing changes for Sign in with Apple accounts". The milliseconds, `exp` and
/// the string form of `events` are from reports of developers who receive these notices.
struct AppleNotice {
    /// Maximum age of a notice. Its `jti` is stored for longer.
    static let ageMax: Duration = .seconds(7 * 24 * 3_600)
    private static let nameBytesMax = 255
    /// Times from this value on are milliseconds. As seconds it would be the year 5138.
    private static let millisecondsFrom: Int64 = 100_000_000_000

    let notice: ProviderNotice

    /// - Parameters:
    ///   - issuers: The accepted spellings of Apple's issuer.
    ///   - audiences: The operator's client ids.
    /// - Throws: `AppleNotice.Refusal`.
    init(
        _ claims: JSONObject, issuers: [String], audiences: Set<String>, at now: Timestamp
    ) throws(AppleNotice.Refusal) {
        guard let issuer = claims["iss"]?.string,
            let issuedAt = ProviderClaims.moment(claims["iat"]),
            let id = Self.name(claims["jti"]), let events = Self.events(claims["events"]),
            let type = events["type"]?.string, let subject = Self.name(events["sub"])
        else { throw .claims }
        guard issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) else { throw .issuer }
        guard let named = ProviderClaims.audiences(claims["aud"]) else { throw .claims }
        guard named.allSatisfy(audiences.contains) else { throw .audience }
        guard issuedAt <= now + ProviderClaims.leeway else { throw .future }
        guard now < issuedAt + Self.ageMax else { throw .old }
        if let expiry = claims["exp"] {
            guard let expiresAt = ProviderClaims.moment(expiry) else { throw .claims }
            guard now < expiresAt + ProviderClaims.leeway else { throw .old }
        }
        notice = ProviderNotice(
            id: id, subject: subject, event: Self.event(type, events),
            // A time in the future would also end sessions that are opened after the notice.
            at: min(Self.time(events["event_time"]) ?? issuedAt, now))
    }

    private static func event(_ type: String, _ events: JSONObject) -> ProviderNotice.Event {
        switch type {
        case "consent-revoked": .consentRevoked
        // Apple's documentation has used both names.
        case "account-delete", "account-deleted": .accountDeleted
        case "email-disabled": relay(events, isOff: true)
        case "email-enabled": relay(events, isOff: false)
        default: .other
        }
    }

    private static func relay(_ events: JSONObject, isOff: Bool) -> ProviderNotice.Event {
        guard ProviderClaims.isYes(events["is_private_email"]), let email = events["email"]?.string,
            let address = EmailAddress(email)
        else { return .other }
        return .relay(address, isOff: isOff)
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

    private static func time(_ value: JSONValue?) -> Timestamp? {
        guard let number = value?.integer, number >= millisecondsFrom else {
            return ProviderClaims.moment(value)
        }
        return Timestamp(milliseconds: min(number, ProviderClaims.secondsMax * 1_000))
    }
}
