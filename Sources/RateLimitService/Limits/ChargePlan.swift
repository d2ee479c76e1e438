import Contracts
import Messages
import ServiceRuntime

/// A charge from a request, validated.
struct RequestedCharge: Sendable {
    /// The largest number in one call. It is smaller than the table's, because `plan` adds to a
    /// batch.
    static let countMax = LimitTable.batchMax - 5
    private static let subjectBytesMax = 512
    /// The gateway rejects longer ones.
    private static let deviceBytesMax = 128
    /// An id of a request for a code.
    private static let targetBytesMax = 64
    /// The largest amount: with it, and the longest step of a rule, moments do not overflow.
    private static let amountMax: UInt32 = 1_000_000

    let limit: LimitName
    let subject: String
    /// Empty if none.
    let device: String
    /// The id of the code that the attempt guesses: the request for that code. It selects the
    /// bucket of `phone-code-first-guess` while `phone-code-guess` is locked until a reset. Empty
    /// if none.
    let target: String
    /// The units to charge, from 1.
    let amount: Int

    /// - Parameter mayBePart: whether the limit may be one that is only part of others. What is in
    ///   the table of marks cannot be charged or looked at.
    /// - Throws: `rpc/invalid-argument` for an unknown or internal limit, for a text of invalid
    ///   length, and for an amount that is too large or that the limit's rule does not count.
    init(_ charge: RateLimitV1.Charge, mayBePart: Bool = false) throws(ServiceError) {
        guard let limit = LimitName(rawValue: charge.limit),
            !limit.isInternal || mayBePart && limit.isOperators && limit != .accountsBySite
        else {
            throw ServiceError(.invalidArgument, fields: ["charges.limit"])
        }
        guard (1...Self.subjectBytesMax).contains(charge.subject.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["charges.subject"])
        }
        guard charge.device.utf8.count <= Self.deviceBytesMax else {
            throw ServiceError(.invalidArgument, fields: ["charges.device"])
        }
        guard charge.target.utf8.count <= Self.targetBytesMax else {
            throw ServiceError(.invalidArgument, fields: ["charges.target"])
        }
        guard
            charge.amount <= 1
                || CountingRule(limit.rule).takesAmounts && charge.amount <= Self.amountMax
        else {
            throw ServiceError(.invalidArgument, fields: ["charges.amount"])
        }
        self.limit = limit
        subject = charge.subject
        device = charge.device
        target = charge.target
        amount = max(1, Int(charge.amount))
    }

    /// Validates the charges of a call.
    /// - Parameter mayBeParts: as for `init`; for the operator, who looks at each limit.
    /// - Throws: `rpc/invalid-argument` as `init`, and for no charges or too many.
    static func read(
        _ charges: [RateLimitV1.Charge], mayBeParts: Bool = false
    ) throws(ServiceError) -> [RequestedCharge] {
        guard (1...countMax).contains(charges.count) else {
            throw ServiceError(.invalidArgument, fields: ["charges"])
        }
        var read: [RequestedCharge] = []
        for charge in charges { read.append(try RequestedCharge(charge, mayBePart: mayBeParts)) }
        return read
    }
}

/// The origin of a batch's subjects as far as the network shows it: the site of the client's
/// address, or an application that asserts no addresses, whose users cannot be distinguished.
///
/// Naming a subject of `CapacityClass.text` costs a stranger nothing, and its state occupies memory
/// for hours. So a batch with such a subject that has no state yet is charged to its origin:
///
///     the subject                          charged to the origin
///     has a state already                  no
///     is new, and its charge stays         yes: one of 1,000 an hour for a site, of 60,000 for an
///                                          application
///     is new, and is refunded              no longer
///     is that of a known device            no: strangers cannot name it
///
/// At this limit only that origin is refused.
enum SubjectSource: Hashable, Sendable {
    /// The site of this client address.
    case site(String)
    case application(String)

    private static let bytesMax = 512

    /// - Returns: nil if the caller gives no origin.
    /// - Throws: `rpc/invalid-argument` for an empty or too long text.
    init?(_ named: RateLimitV1.ConsumeRequest.NamedBy?) throws(ServiceError) {
        switch named {
        case .clientAddress(let address): self = .site(address)
        case .application(let application): self = .application(application)
        case nil: return nil
        }
        guard (1...Self.bytesMax).contains(subject.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["named_by"])
        }
    }

    /// The subject that its limits are charged to.
    var subject: String {
        switch self {
        case .site(let text), .application(let text): text
        }
    }

    /// The limit on new subjects from this origin.
    var newSubjects: LimitName {
        switch self {
        case .site: .newSubjectsBySite
        case .application: .newSubjectsByApplication
        }
    }
}

/// The limits and keys that a batch is charged to.
struct ChargePlan: Sendable {
    /// The number of the secret that was the current one when it was made.
    let secret: Int64
    private(set) var limits: [LimitName] = []
    private(set) var requests: [LimitRequest] = []
    /// Whether it is a sign-in from a device that the account does not know.
    var isFromUnknownDevice = false

    init(under secret: Int64) {
        self.secret = secret
    }

    mutating func add(
        _ limit: LimitName, _ request: LimitRequest, of amount: Int, _ policies: LimitPolicies
    ) {
        var request = request
        // A limit that only counts towards the alarm refuses nothing.
        request.isShadow = limit == .signInFailuresBySite || policies[limit].isShadow
        request.amount = amount
        limits.append(limit)
        requests.append(request)
    }

    /// Whether a text that a stranger can name is among the subjects and has no state yet.
    func namesNew(in table: LimitTable) -> Bool {
        limits.indices.contains { requestIndex in
            limits[requestIndex].definition.capacity == .text
                && !table.holds(requests[requestIndex].key)
        }
    }

    /// The part that is charged even if the limits of the alarm refuse the attempt: its address. A
    /// caller that keeps trying during the alarm is then refused by its address and no longer
    /// counts towards the alarm.
    var byAddress: ChargePlan {
        var plan = ChargePlan(under: secret)
        for requestIndex in limits.indices where Self.isByAddress(limits[requestIndex]) {
            plan.limits.append(limits[requestIndex])
            plan.requests.append(requests[requestIndex])
        }
        return plan
    }

    private static func isByAddress(_ limit: LimitName) -> Bool {
        switch limit {
        case .failedSignInByAddress, .failedSignInBySite, .failedSignInByDevice,
            .unaddressedByApplication, .signInFailuresBySite:
            true
        default: false
        }
    }

    /// The limits in the operator's shadow mode that would have refused. The limit that only counts
    /// towards the alarm is not reported: no operator is testing it, and it never refuses.
    func shadowHits(_ verdict: LimitVerdict, _ policies: LimitPolicies) -> [LimitName] {
        limits.indices.filter(verdict.isSpared)
            .map { limits[$0] }
            .filter { policies[$0].isShadow }
    }

    /// The key of a limit among its requests; nil if it is not charged.
    func key(of limit: LimitName) -> LimitKey? {
        limits.firstIndex(of: limit).map { requests[$0].key }
    }

    /// Whether the response waits for the disk.
    var isDurable: Bool { limits.contains { $0.definition.isDurable } }

    /// Whether each key occurs once. A key that occurs twice would be counted twice but refunded by
    /// one moment.
    var hasDistinctKeys: Bool {
        requests.count == 1 || Set(requests.map(\.key)).count == requests.count
    }

    /// The keys that were charged: without limits in shadow mode that would have refused, and with
    /// the shared bucket's key for a subject without its own state.
    func charged(_ verdict: LimitVerdict, in table: LimitTable) -> [LimitKey] {
        return requests.indices.filter { !verdict.isSpared($0) }.map { requestIndex in
            let key = requests[requestIndex].key
            return verdict.isShared(requestIndex) ? table.shards.sharedBucketKey(of: key) : key
        }
    }

    /// The amounts of those keys that were charged with more than one unit.
    func amounts(_ verdict: LimitVerdict, in table: LimitTable) -> [LimitKey: Int] {
        var amounts: [LimitKey: Int] = [:]
        for (requestIndex, request) in requests.enumerated() where request.amount > 1 {
            let isShared = verdict.isShared(requestIndex)
            amounts[isShared ? table.shards.sharedBucketKey(of: request.key) : request.key] =
                request.amount
        }
        return amounts
    }
}

/// The limits that a batch is charged to: those of known devices, and those of the alarm while it
/// is on.
extension LimitsHandler {
    /// - Parameter source: the origin of the subjects; nil if unknown.
    /// - Throws: `rpc/invalid-argument` if a subject occurs twice.
    func plan(
        _ charges: [RequestedCharge], namedBy source: SubjectSource? = nil, at now: Timestamp
    ) throws -> ChargePlan {
        let policies = policies.value
        let ring = subjects.ring
        var plan = ChargePlan(under: ring.number)
        func add(_ limit: LimitName, _ subject: String, of amount: Int = 1) {
            let request = subjects.request(limit, subject, policies.rule(limit), ring, at: now)
            plan.add(limit, request, of: amount, policies)
        }
        for charge in charges {
            let lane = lane(of: charge, at: now)
            add(lane.limit, lane.subject, of: charge.amount)
            guard lane.limit == TrustedLane.unknownDeviceSignIns, !plan.isFromUnknownDevice else {
                continue
            }
            plan.isFromUnknownDevice = true
            add(.failedSignInInARow, lane.subject)
        }
        guard plan.hasDistinctKeys else {
            throw ServiceError(.invalidArgument, fields: ["charges"])
        }
        if plan.isFromUnknownDevice {
            if let source { add(.signInFailuresBySite, source.subject) }
            if isAlarmed(policies, at: now) {
                add(.signInWithoutHistory, TrustedLane.sharedSubject)
                if let source { add(.signInWithoutHistoryBySite, source.subject) }
            }
        }
        if let source, plan.namesNew(in: table) { add(source.newSubjects, source.subject) }
        return plan
    }

    /// Plans and decides. Starts over if another secret became current in between, or if a state
    /// under a former one has ended, both of which are rare.
    /// - Parameter verdict: decides on a plan; nil for a retry, for which no decision is made.
    /// - Throws: `rpc/invalid-argument` as `plan`, and the errors of `verdict`.
    func planAndDecide(
        _ charges: [RequestedCharge], namedBy source: SubjectSource? = nil, at now: Timestamp,
        _ verdict: (ChargePlan) throws -> LimitVerdict?
    ) throws -> (plan: ChargePlan, verdict: LimitVerdict?) {
        while true {
            let plan = try plan(charges, namedBy: source, at: now)
            let decided = try verdict(plan)
            if decided?.isStale != true { return (plan, decided) }
        }
    }

    /// Applies an operation to a plan and decides on it, unless its subjects are to be looked up
    /// again (`LimitVerdict.isStale`).
    func apply(_ operation: BatchOperation, _ plan: ChargePlan, at now: Timestamp) -> LimitVerdict {
        table.apply(operation, plan.requests, at: now, under: plan.secret)
    }
}
