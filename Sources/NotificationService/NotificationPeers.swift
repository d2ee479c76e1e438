package import Contracts
package import RPC

/// The services that notification calls: identity, and all services whose events it reads.
package struct NotificationPeers: Sendable {
    /// Identity's rpc for numbers that have changed hands.
    let phoneSignals: any PhoneSignalsAPI
    let identityEvents: any EventsAPI
    let sessionEvents: any EventsAPI
    let rateLimitEvents: any EventsAPI
    /// The feed of this service, which is read without a call.
    let ownEvents: any EventsAPI

    /// Peers in other programs, over their channels.
    package init(
        identity: any CallChannel, session: any CallChannel, rateLimit: any CallChannel,
        ownEvents: any EventsAPI
    ) {
        self.init(
            phoneSignals: PhoneSignalsClient(identity), identityEvents: EventsClient(identity),
            sessionEvents: EventsClient(session), rateLimitEvents: EventsClient(rateLimit),
            ownEvents: ownEvents)
    }

    /// Any peers.
    package init(
        phoneSignals: any PhoneSignalsAPI, identityEvents: any EventsAPI,
        sessionEvents: any EventsAPI, rateLimitEvents: any EventsAPI, ownEvents: any EventsAPI
    ) {
        self.phoneSignals = phoneSignals
        self.identityEvents = identityEvents
        self.sessionEvents = sessionEvents
        self.rateLimitEvents = rateLimitEvents
        self.ownEvents = ownEvents
    }

    /// The feeds that webhooks get events from.
    var eventSources: [EventSource] {
        [
            EventSource(.identity, identityEvents), EventSource(.session, sessionEvents),
            EventSource(.rateLimit, rateLimitEvents), EventSource(.notification, ownEvents),
        ]
    }
}
