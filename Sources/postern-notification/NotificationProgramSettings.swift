import Contracts
import Hosting
import NotificationService
import ServiceRuntime

/// The notification service's settings, and the addresses of the services whose events webhooks
/// receive.
struct NotificationProgramSettings: Settings {
    let notification: NotificationSettings
    let webhooks: WebhookSettings
    private let identity: PeerSettings
    private let session: PeerSettings
    private let rateLimit: PeerSettings

    init(reading settings: inout SettingsReader) {
        notification = NotificationSettings(reading: &settings)
        webhooks = WebhookSettings(reading: &settings)
        identity = PeerSettings(
            reading: &settings, "identity", service: "postern.identity", port: 7401)
        session = PeerSettings(
            reading: &settings, "session", service: "postern.session", port: 7402)
        rateLimit = PeerSettings(
            reading: &settings, "rate-limit", service: "postern.rate-limit", port: 7403)
    }

    /// Identity's rpc for numbers that have changed hands.
    func signals(_ host: ServiceHost) throws -> any PhoneSignalsAPI {
        PhoneSignalsClient(try host.channel(to: identity))
    }

    /// The feed of the session service.
    func sessionEvents(_ host: ServiceHost) throws -> any EventsAPI {
        EventsClient(try host.channel(to: session))
    }

    /// The feeds of all services: session's as it is given, `own` without a call.
    func sources(
        _ host: ServiceHost, session: any EventsAPI, own: EventFeed
    ) throws -> [EventSource] {
        [
            EventSource(.identity, EventsClient(try host.channel(to: identity))),
            EventSource(.session, session),
            EventSource(.rateLimit, EventsClient(try host.channel(to: rateLimit))),
            EventSource(.notification, own),
        ]
    }
}
