package import ServiceRuntime
package import Storage

/// The handlers of text and push messages. They share the acceptance and the store of mails.
package struct SMSAndPushMessages: Sendable {
    /// The handler of `SendText`.
    package let texts: TextMessages
    /// The handler of `SendPush`.
    package let pushes: PushMessages
    /// The registry of devices.
    package let devices: PushDevices

    /// The handlers of `service`.
    package init(
        of service: NotificationService, settings: NotificationSettings,
        wording: any SMSAndPushWording, store: Store, keys: NotificationKeys,
        randomness: any Randomness
    ) {
        texts = TextMessages(acceptance: service.acceptance, wording: wording)
        pushes = PushMessages(
            store: store, keys: keys, acceptance: service.acceptance, wording: wording)
        devices = PushDevices(
            store: store, keys: keys, randomness: randomness, apps: settings.push.apps,
            platforms: settings.push.platforms)
    }
}
