import Cryptography
import Messages
import ServiceRuntime
import Storage

/// One sign-in on one device, with its refresh token family.
struct Session: Hashable, Sendable {
    /// When and why it ended.
    struct End: Hashable, Sendable {
        let at: Timestamp
        let reason: EndReason
    }

    let id: SessionID
    let account: AccountID
    /// The counter of the leaf, the newest refresh token.
    var counter: Int64
    let createdAt: Timestamp
    /// When it was last used, as stored on disk (`Activity` may be later).
    var usedAt: Timestamp
    /// When identity issued the sign-in proof that opened it.
    var provedAt: Timestamp
    /// How and when its owner proved their identity (`amr`, `auth_time`).
    var proofs: SessionProofs
    /// The stored end; that of a session that has timed out may not be written yet (`SessionLife`).
    var end: End?
    /// When the leaf was issued; 0 where unknown, which gives no grace.
    var rotatedAt = Timestamp(milliseconds: 0)
    /// Keyed hash of the id of the device that it was opened on.
    var device: [UInt8]?
    /// The device key that it is bound to, if any.
    var deviceKey: DeviceKey?
    /// The account's session generation in the proof that opened it (`AccountEnd`); 0 for a proof
    /// of an earlier build.
    var generation: Int64 = 0
    /// When it ends in any case, if it is a brief session; nil for any other.
    var endsAt: Timestamp?
    /// Whether its account has claims, for its tokens (`KnownClaims`).
    var hasClaims = false

    /// Whether it is a page's: without a refresh token, and not among the sessions that an account
    /// may have (S-03).
    var isBrief: Bool { endsAt != nil }
}

extension AuditEvent {
    /// The event with the keys of `session`.
    func of(_ session: Session) -> AuditEvent {
        var event = self
        event.account = session.account.key
        event.session = session.id.key
        return event
    }
}

/// How long sessions live (S-02). Pure, exact at the boundary:
///
///     stored end  age < ageMax   unused < idleMax   state
///     yes         any            any                ended
///     no          yes            yes                live
///     no          no             yes                over: maximum age
///     no          yes            no                 over: inactive
///     no          no             no                 over, for the limit that was reached first
///
/// At the exact millisecond of a limit the session is over. The limits are those of the sign-in's
/// methods, whatever was proved since; of several methods, the strictest (S-02). The age of a brief
/// session is `briefAge` at most.
struct SessionLife: Hashable, Sendable {
    /// The state of a session.
    enum State: Hashable, Sendable {
        case live
        /// It has timed out, and the end is not written yet.
        case over(EndReason)
        /// Its end is stored.
        case ended(EndReason)

        /// Why it is over; nil for a live one.
        var reason: EndReason? {
            switch self {
            case .live: nil
            case .over(let reason), .ended(let reason): reason
            }
        }
    }

    /// The maximum age of a brief session: long enough to set up an authenticator app and to print
    /// its recovery codes, and short for a page that somebody leaves open in a library.
    static let briefAge: Duration = .seconds(900)

    let idleMax: Duration
    let ageMax: Duration
    /// Different limits for some sign-in methods.
    var byMethod: [String: SessionLimits] = [:]

    /// The limits for a session that was signed in to by `methods`.
    func limits(for methods: [String]) -> SessionLimits {
        let standard = SessionLimits(idleMax: idleMax, ageMax: ageMax)
        guard !byMethod.isEmpty, let first = methods.first else { return standard }
        return methods.dropFirst().reduce(byMethod[first] ?? standard) { limits, method in
            limits.stricter(byMethod[method] ?? standard)
        }
    }

    private func limits(of session: Session) -> SessionLimits {
        limits(for: session.proofs.signIn.methods)
    }

    /// The state of `session` at `now`.
    func state(of session: Session, at now: Timestamp) -> State {
        if let end = session.end { return .ended(end.reason) }
        let idleEnd = session.usedAt + limits(of: session).idleMax
        let ageEnd = ageEnd(of: session)
        if now < min(idleEnd, ageEnd) { return .live }
        return .over(idleEnd < ageEnd ? .inactive : .maximumAge)
    }

    /// When the session reaches its maximum age.
    func ageEnd(of session: Session) -> Timestamp {
        let ageEnd = session.createdAt + limits(of: session).ageMax
        return session.endsAt.map { min($0, ageEnd) } ?? ageEnd
    }

    /// When the session ends if it is not used again.
    func unusedEnd(of session: Session) -> Timestamp {
        min(session.usedAt + limits(of: session).idleMax, ageEnd(of: session))
    }
}

extension SessionLife {
    /// The operator's limits.
    init(_ settings: SessionSettings) {
        self.init(
            idleMax: settings.idleMax, ageMax: settings.ageMax, byMethod: settings.limitsByMethod)
    }
}

/// How long a session may live: unused, and in all (S-02).
struct SessionLimits: Hashable, Sendable {
    let idleMax: Duration
    let ageMax: Duration

    /// The default limits for guests: half a year unused, and five years in all. A guest has
    /// nothing but the session: when it ends, their data is lost to them, however active they were.
    /// Providers and codes have the limits of passwords, since these users can sign in again.
    /// - Parameter ageMax: a shorter age, where refresh token keys are not kept as long.
    static func ofGuests(ageMax: Duration) -> SessionLimits {
        SessionLimits(idleMax: .seconds(180 * 86_400), ageMax: .seconds(1_830 * 86_400))
            .stricter(SessionLimits(idleMax: ageMax, ageMax: ageMax))
    }

    /// The shorter limit of each kind.
    func stricter(_ other: SessionLimits) -> SessionLimits {
        SessionLimits(
            idleMax: min(idleMax, other.idleMax), ageMax: min(ageMax, other.ageMax))
    }
}

/// The device that a session is opened on.
struct SessionDevice: Hashable, Sendable {
    private static let platformBytesMax = 32
    /// Stored length of a device's name: enough to recognise it, and a row stays small.
    private static let nameBytesMax = 64

    /// A session's device as stored in its row.
    struct Stored: Hashable, Sendable {
        let platform: String?
        let sealedName: [UInt8]?
        let sealedPlace: [UInt8]?
        let sealedAgent: [UInt8]?
    }

    /// What its owner is shown of it. Texts are empty where nothing is known.
    struct Shown: Hashable, Sendable {
        let name: String
        let place: Place?
        let agent: String
    }

    /// Keyed hash of the device's id.
    let device: [UInt8]?
    /// For example "ios" or "web"; not personal.
    let platform: String?
    /// Personal ("Ada's phone"), so it is stored sealed and shown to its owner only (G-22).
    let name: String?
    /// Where the session was opened, sealed too.
    let place: Place?
    /// The program in which it was opened, sealed too.
    let agent: String?
    /// Whether the session is to be a brief one.
    let isBrief: Bool

    /// The device in a request; empty fields are unknown.
    /// - Throws: `rpc/invalid-argument` for a platform of more than 32 bytes.
    init(
        _ device: GatewayV1.Device?, from origin: CallOrigin, hash: KeyedHash
    ) throws(ServiceError) {
        let (id, platform) = (device?.deviceId ?? "", device?.platform ?? "")
        guard platform.utf8.count <= Self.platformBytesMax else {
            throw ServiceError(.invalidArgument, fields: ["device.platform"])
        }
        self.device = Self.hash(of: id, hash)
        self.platform = platform.isEmpty ? nil : platform
        let name = Self.shortened(device?.name ?? "")
        self.name = name.isEmpty ? nil : name
        (place, agent) = (origin.place, origin.agent)
        isBrief = device?.brief ?? false
    }

    /// The keyed hash of a device's id; nil for an empty one, which is unknown.
    static func hash(of id: String, _ hash: KeyedHash) -> [UInt8]? {
        id.isEmpty ? nil : hash.lookUpKey(Array(id.utf8))
    }

    /// What the row of `session` has of it.
    func sealed(for session: SessionID, _ box: SealedBox) throws -> Stored {
        Stored(
            platform: platform,
            sealedName: try name.map { try box.seal(Array($0.utf8), at: .deviceName(session)) },
            sealedPlace: try place.map {
                try box.seal(Array($0.text.utf8), at: .sessionPlace(session))
            },
            sealedAgent: try agent.map {
                try box.seal(Array($0.utf8), at: .sessionAgent(session))
            })
    }

    /// As many whole characters as fit.
    private static func shortened(_ name: String) -> String {
        var shortened = ""
        for character in name {
            guard shortened.utf8.count + character.utf8.count <= nameBytesMax else { break }
            shortened.append(character)
        }
        return shortened
    }
}

extension SessionDevice.Stored {
    /// What its owner is shown.
    func opened(of session: SessionID, box: SealedBox) throws -> SessionDevice.Shown {
        func text(_ sealed: [UInt8]?, _ place: SealedPlace) throws -> String {
            guard let sealed else { return "" }
            return String(decoding: try box.open(sealed, at: place), as: UTF8.self)
        }
        return SessionDevice.Shown(
            name: try text(sealedName, .deviceName(session)),
            place: Place(text: try text(sealedPlace, .sessionPlace(session))),
            agent: try text(sealedAgent, .sessionAgent(session)))
    }
}

extension SealedPlace {
    /// The sealing contexts of a session's columns.
    fileprivate static func deviceName(_ session: SessionID) -> SealedPlace {
        SealedPlace(table: "session", column: "device_name", row: session.key)
    }

    fileprivate static func sessionPlace(_ session: SessionID) -> SealedPlace {
        SealedPlace(table: "session", column: "place", row: session.key)
    }

    fileprivate static func sessionAgent(_ session: SessionID) -> SealedPlace {
        SealedPlace(table: "session", column: "agent", row: session.key)
    }
}
