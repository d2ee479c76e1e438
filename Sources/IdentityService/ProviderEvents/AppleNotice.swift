import Addresses
import JSON
import ServiceRuntime

/// Validates the claims of a notice from Apple. The signature has been verified before.
///
/// | claim | rule |
/// |---|---|
/// | `iss`, `aud`, `iat`, `jti` | as `NoticeClaims` |
/// | `exp` | optional; accepted until 60 s after. Apple sets it to one day |
/// | `events` | an object, or a string that contains one, as Apple sends it |
///
/// In `events`, `type` and `sub` are required. `event_time` is optional. Apple's documentation
/// shows seconds and Apple sends milliseconds, so both are accepted.
///
/// Source: Apple, "Processing changes for Sign in with Apple accounts". The milliseconds, `exp` and
/// the string form of `events` are from reports of developers who receive these notices.
struct AppleNotice {
    /// Times from this value on are milliseconds. As seconds it would be the year 5138.
    private static let millisecondsFrom: Int64 = 100_000_000_000

    let notice: ProviderNotice

    /// - Parameters:
    ///   - issuers: The accepted spellings of Apple's issuer.
    ///   - audiences: The operator's client ids.
    /// - Throws: `ProviderNotice.Refusal`.
    init(
        _ claims: JSONObject, issuers: [String], audiences: Set<String>, at now: Timestamp
    ) throws(ProviderNotice.Refusal) {
        let token = try NoticeClaims(claims, issuers: issuers, audiences: audiences, at: now)
        guard let events = Self.events(claims["events"]), let type = events["type"]?.string,
            let subject = NoticeClaims.name(events["sub"])
        else { throw .claims }
        if let expiry = claims["exp"] {
            guard let expiresAt = ProviderClaims.moment(expiry) else { throw .claims }
            guard now < expiresAt + ProviderClaims.leeway else { throw .old }
        }
        notice = ProviderNotice(
            id: token.id, subject: subject, event: Self.event(type, events),
            // A time in the future would also end sessions that are opened after the notice.
            at: min(Self.time(events["event_time"]) ?? token.issuedAt, now))
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

    private static func time(_ value: JSONValue?) -> Timestamp? {
        guard let number = value?.integer, number >= millisecondsFrom else {
            return ProviderClaims.moment(value)
        }
        return Timestamp(milliseconds: min(number, ProviderClaims.secondsMax * 1_000))
    }
}
