package import ServiceRuntime
package import Storage

/// The rpcs of text and push messages, over what mail has already: one acceptance, one store.
package struct SMSAndPushMessages: Sendable {
    /// `SendText`.
    package let texts: TextMessages
    /// `SendPush`.
    package let pushes: PushMessages
    /// The registry of devices.
    package let devices: PushDevices

    /// The rpcs of `service`.
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
