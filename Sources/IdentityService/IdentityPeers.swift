package import Contracts
package import RPC

/// The services that identity calls.
package struct IdentityPeers: Sendable {
    /// The session service, which knows the owners of sessions.
    let devices: any DevicesAPI
    /// The session service, for the ends of an account's sessions.
    package let sessions: any SessionsAPI
    /// The session service, for the last use of accounts.
    package let activity: any AccountActivityAPI
    /// The session service, for its events about an account.
    let sessionEvents: any EventsAPI
    /// The notification service, for mails.
    let notifications: any NotificationsAPI
    /// The notification service, for text messages.
    let texts: any TextMessagesAPI
    /// The notification service, for push messages.
    let pushes: any PushMessagesAPI
    /// The notification service, for the devices of push messages.
    package let pushDevices: any PushDevicesAPI
    /// The notification service, for providers' relay addresses.
    let relays: any RelayAddressesAPI
    /// The session service, for the data that it has of accounts.
    package let sessionData: any AccountDataAPI
    /// The notification service, for the same.
    package let notificationData: any AccountDataAPI
    /// The rate limiter, for what it counts of accounts.
    package let rateLimitData: any AccountDataAPI

    /// Peers in other programs, over their channels.
    package init(
        session: any CallChannel, notification: any CallChannel, rateLimit: any CallChannel
    ) {
        self.init(
            devices: DevicesClient(session), sessions: SessionsClient(session),
            activity: AccountActivityClient(session), sessionEvents: EventsClient(session),
            notifications: NotificationsClient(notification),
            texts: TextMessagesClient(notification), pushes: PushMessagesClient(notification),
            pushDevices: PushDevicesClient(notification),
            relays: RelayAddressesClient(notification),
            sessionData: AccountDataClient(session),
            notificationData: AccountDataClient(notification),
            rateLimitData: AccountDataClient(rateLimit))
    }

    /// Any peers.
    package init(
        devices: any DevicesAPI, sessions: any SessionsAPI, activity: any AccountActivityAPI,
        sessionEvents: any EventsAPI, notifications: any NotificationsAPI,
        texts: any TextMessagesAPI, pushes: any PushMessagesAPI,
        pushDevices: any PushDevicesAPI, relays: any RelayAddressesAPI,
        sessionData: any AccountDataAPI, notificationData: any AccountDataAPI,
        rateLimitData: any AccountDataAPI
    ) {
        self.devices = devices
        self.sessions = sessions
        self.activity = activity
        self.sessionEvents = sessionEvents
        self.notifications = notifications
        self.texts = texts
        self.pushes = pushes
        self.pushDevices = pushDevices
        self.relays = relays
        self.sessionData = sessionData
        self.notificationData = notificationData
        self.rateLimitData = rateLimitData
    }
}

extension CallContext {
    /// The context of a call that identity makes by itself. A peer in another program knows the
    /// caller by its key; one in the same program, as in tests, by this name.
    package static func byIdentity(
        deadline: Duration, metadata: Metadata = Metadata()
    ) -> CallContext {
        CallContext(application: identity, deadline: deadline, metadata: metadata)
    }
}
