import Contracts
import ServiceRuntime
import Storage

/// `postern.notification.v1.PushDevices`: the devices that receive an account's push messages
/// (N-04). A token belongs to one account at a time. Registering it takes it over, so that a
/// phone's new user does not see messages of the former one.
struct PushDevicesHandler: PushDevicesService {
    /// Devices of one account. A push to all of them is as many messages.
    static let devicesMax = 20

    let store: Store
    let keys: NotificationKeys
    let randomness: any Randomness
    let apps: PushApps
    let platforms: Set<PushPlatform>

    /// A handler over `store`. Devices must be of an app and on a platform of `settings`.
    init(
        settings: NotificationSettings, store: Store, keys: NotificationKeys,
        randomness: any Randomness
    ) {
        self.store = store
        self.keys = keys
        self.randomness = randomness
        apps = settings.push.apps
        platforms = settings.push.platforms
    }

    static func device(_ text: String) throws(ServiceError) -> PushDeviceID {
        guard let device = PushDeviceID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["device_id"])
        }
        return device
    }

    static func session(_ text: String) throws(ServiceError) -> SessionID? {
        if text.isEmpty { return nil }
        guard let session = SessionID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["session_id"])
        }
        return session
    }
}
