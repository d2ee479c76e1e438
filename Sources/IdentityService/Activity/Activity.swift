package import Messages
package import ServiceRuntime
import Storage

/// Something that happened with an account, from the audit trail of identity or of session.
package struct Activity: Hashable, Sendable {
    /// Its place in the trail that it is from.
    let position: Int64
    let at: Timestamp
    let kind: String
    /// Words of `AuditDetail`; empty for none.
    let detail: String
    let outcome: String
    let attempt: Int64
    let country: String
    let agent: String
    let app: String
    /// Who acted, where that was not the owner, who never sees it. Empty for none.
    package let actor: String
    /// "ses_…"; empty for none.
    let session: String

    /// From identity's own trail.
    init(_ record: AccountRecord) {
        position = record.position
        at = record.at
        kind = record.kind
        detail = record.detail ?? ""
        outcome = record.outcome ?? ""
        attempt = record.attempt ?? 0
        country = record.country ?? ""
        agent = record.agent ?? ""
        app = record.app ?? ""
        actor = record.actor ?? ""
        session = record.session.flatMap { SessionID(key: $0)?.text } ?? ""
    }

    /// From session's trail.
    init(_ event: EventsV1.Event) {
        position = event.position
        at = Timestamp(milliseconds: event.atMs)
        kind = event.kind
        detail = event.detail
        outcome = event.outcome
        attempt = event.attempt
        country = event.country
        agent = event.agent
        app = event.app
        actor = event.actor
        session = event.sessionId
    }

    /// As a response has it, without the actor.
    /// - Parameter current: The caller's session; nil for none.
    package func message(
        in voice: Voice, inSession current: String? = nil
    ) -> GatewayV1.ActivityEntry {
        GatewayV1.ActivityEntry(
            atMs: at.milliseconds, kind: kind, detail: detail, outcome: outcome,
            sentence: sentence(in: voice), country: country, agent: agent, app: app,
            sessionId: session, isCurrentSession: !session.isEmpty && session == current)
    }
}
