import Messages
import ServiceRuntime

/// The service that wrote an event. The raw value is stored and never reused.
package enum EventOrigin: Int64, CaseIterable, Sendable {
    /// Accounts and their proofs.
    case identity = 1
    /// Sessions, tokens, keys.
    case session = 2
    /// Limits that were exceeded.
    case rateLimit = 3
    /// Messages.
    case notification = 4
}

/// A validated event from a service's feed: each text consists of characters that need no escaping
/// in any output.
struct ServiceEvent: MergedEvent, Hashable {
    /// The service that wrote it.
    let origin: EventOrigin
    /// Its position in that service's feed.
    let position: Int64
    /// When it happened.
    let at: Timestamp
    /// The event's kind, as named in the catalogue of events.
    let kind: String
    /// The account concerned.
    let account: AccountID?
    /// The session concerned.
    let session: SessionID?
    /// The error code of a rejected operation.
    let outcome: String?
    /// The number of the attempt, or a count.
    let attempt: Int64?
    /// What the kind alone does not say.
    let detail: String?
    /// Two letters.
    let country: String?
    /// The program that the person used, in words.
    let agent: String?

    /// Validates an event; nil for one that none of our services writes.
    init?(_ event: EventsV1.Event, from origin: EventOrigin) {
        guard event.position > 0, event.atMs >= 0, !event.kind.isEmpty,
            Self.isName(event.kind), Self.isName(event.outcome), Self.isDetail(event.detail),
            Self.isCountry(event.country), Self.isAgent(event.agent)
        else { return nil }
        self.origin = origin
        position = event.position
        at = Timestamp(milliseconds: event.atMs)
        kind = event.kind
        account = AccountID(text: event.accountId)
        session = SessionID(text: event.sessionId)
        outcome = event.outcome.isEmpty ? nil : event.outcome
        attempt = event.attempt == 0 ? nil : event.attempt
        detail = event.detail.isEmpty ? nil : event.detail
        country = event.country.isEmpty ? nil : event.country
        agent = event.agent.isEmpty ? nil : event.agent
    }

    /// Its service's place among events of one time.
    var place: Int64 { origin.rawValue }

    /// The key by which events stay in order: events of one account are delivered in their
    /// order. Events without an account need no order. They are spread over several keys, so that
    /// one does not wait for a million others. It is in the columns `lane`.
    var orderingKey: Int64 {
        account?.key ?? -(origin.rawValue * Self.unorderedKeys + position % Self.unorderedKeys)
    }

    /// Ordering keys for the events of one service that have no account.
    private static let unorderedKeys: Int64 = 16

    /// The form of event kinds and error codes, for example `session.started`,
    /// `auth/invalid-credential`.
    static func isName(_ text: String) -> Bool {
        text.isName(0...64, [.lower, .digit], marks: ".-/")
    }

    /// Words of a list, or a signature as a compact JWS.
    private static func isDetail(_ text: String) -> Bool {
        text.isName(0...512, [.letter, .digit], marks: " .-_")
    }

    private static func isCountry(_ text: String) -> Bool {
        text.isEmpty || text.isName(2...2, [.upper])
    }

    /// The gateway's words for a program: `firefox 131, linux`.
    private static func isAgent(_ text: String) -> Bool {
        text.isName(0...64, [.lower, .digit], marks: " ,-")
    }
}
