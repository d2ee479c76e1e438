import Contracts
import Messages
import ServiceRuntime

/// The sites that many people share, by the established accounts that sign in there: a school, an
/// office, a carrier's gateway. New accounts have another limit there (D2's three an hour are for
/// one person's address).
///
///     the site has 20 marks that count    a sign-up is charged to
///     no                                  sign-up-by-address       3 in an hour
///     yes                                 sign-up-by-shared-site   60 in an hour
///
/// A mark is of an account at a site. It is set by a sign-in of an account that was then a week old
/// and proved (`GatewayService/Limits/EstablishedAccount.swift`), and counts for 30 days:
///
///     mark of the account there   marks of the site   new sites of the account in 24 h   result
///     younger than a day          any                 any                                nothing
///     older                       any                 any                                renewed
///     none                        fewer than 20       fewer than 5                       set
///     none                        fewer than 20       5                                  nothing
///     none                        20                  any                                nothing
///     none                        no capacity         any                                nothing,
///                                                                                        an alarm
///
/// The attacks:
/// - *Twenty accounts of one's own, made today*: none of them counts for a week. They are created
///   at three an hour, and each needs a mailbox, a number or an account of a provider.
/// - *Those accounts a week later*: then the site has sixty sign-ups an hour, and five more sites a
///   day. An attacker with ten thousand addresses has thirty thousand sign-ups an hour without it.
/// - *One account from many networks*: it counts once at a site, and at five new ones a day.
/// - *The table of marks is filled*: sites have their own half. A mark that counts is not evicted:
///   a flood would make shared sites single ones again. Without capacity there are no new ones.
/// - *The site's other people are kept out*: one of them can use the sixty up, as one can use the
///   three up.
///
///     bound                         number           who pays
///     marks of one site             20               –
///     sites that one account adds   5 a day          each is an address that it signs in from
///     all states                    a quarter of     accounts that sign in: two states for the
///                                   `subjects-max`   first of a site, one for each further one
///
/// In the hour in which a site becomes a shared one, it has the three as well. A site that the
/// operator's numbers make shared or not changes at the next sign-up.
///
/// The states are keyed hashes, and name no account: there is no list of a site's people. They are
/// states of a limit like all others, in the known devices' table and journal. So whatever restores
/// or hands over these, does it with the sites too (two limiters: one decides, and loads both).
struct SharedSites: Sendable {
    let subjects: SubjectTable
    let policies: CurrentPolicies
    private let made = CountingRule(LimitName.newSiteByAccount.rule)

    init(_ subjects: SubjectTable, _ policies: CurrentPolicies) {
        self.subjects = subjects
        self.policies = policies
    }

    /// What a sign-in changes.
    enum Step: Hashable {
        case nothing
        /// The mark that was set then is set again.
        case renew(Timestamp)
        case set
    }

    /// What a sign-in at `now` changes.
    /// - Parameters:
    ///   - setAt: when the account's mark there was set; nil if none counts.
    ///   - window: how long it counts. A thirtieth of it, a day, passes before it is renewed, so
    ///     that not each sign-in is written.
    static func step(markSetAt setAt: Timestamp?, window: Duration, at now: Timestamp) -> Step {
        guard let setAt else { return .set }
        return now - setAt < window / 30 ? .nothing : .renew(setAt)
    }

    /// Whether the site of an address is a shared one. Without capacity a site's marks share a
    /// bucket, which proves nothing about it.
    func isShared(_ address: String, at now: Timestamp) -> Bool {
        let policies = policies.value
        guard !policies[.accountsBySite].isShadow else { return false }
        let count = subjects.apply(.peek, at: now) { [site(address, policies, $0, now)] }
        return count.isLimited && !count.isFull
    }

    /// Records a sign-in of an established account.
    /// - Returns: false if there is no capacity.
    func record(_ account: String, at address: String, at now: Timestamp) -> Bool {
        let policies = policies.value
        let found = subjects.apply(.peek, at: now) { [mark(account, address, policies, $0, now)] }
        guard !found.isFull else { return false }
        let window = policies.markWindow
        let setAt = found.isLimited ? found.retryAt.map { $0 - window } : nil
        let marks = { (ring: SubjectKeyRing) in
            [mark(account, address, policies, ring, now), site(address, policies, ring, now)]
        }
        switch Self.step(markSetAt: setAt, window: window, at: now) {
        case .nothing: return true
        case .renew(let setAt):
            subjects.apply(.refund(at: setAt), at: now, marks)
            return !subjects.apply(.consume, at: now, marks).isFull
        case .set:
            return !subjects.apply(.consume, at: now) { ring in
                marks(ring)
                    + [subjects.request(.newSiteByAccount, account, made, ring, at: now)]
            }.isFull
        }
    }

    /// Deletes what is counted by the account alone. Its marks are found only by a site, and end by
    /// themselves.
    func forget(_ account: String, at now: Timestamp) {
        subjects.reset(.newSiteByAccount, account, made, at: now)
    }

    private func site(
        _ address: String, _ policies: LimitPolicies, _ ring: SubjectKeyRing, _ now: Timestamp
    ) -> LimitRequest {
        subjects.request(
            .accountsBySite, address, policies.rule(.accountsBySite), ring, at: now)
    }

    private func mark(
        _ account: String, _ address: String, _ policies: LimitPolicies, _ ring: SubjectKeyRing,
        _ now: Timestamp
    ) -> LimitRequest {
        subjects.request(
            .accountAtSite, "\(address)|\(account)", policies.ruleOfMark(.accountAtSite), ring,
            at: now)
    }
}

extension LimitPolicies {
    /// How long a mark of an account at a site counts: as long as in the site's count.
    fileprivate var markWindow: Duration {
        guard case .slidingWindow(_, let window) = self[.accountsBySite].rule else {
            preconditionFailure("the count is a window; operators change its numbers only")
        }
        return window
    }

    /// The rule of a limit in the table of marks.
    func ruleOfMark(_ limit: LimitName) -> CountingRule {
        guard limit == .accountAtSite else { return rule(limit) }
        return CountingRule(.slidingWindow(count: 1, window: markWindow))
    }
}

extension LimitsHandler {
    private static let accountBytes = 1...128
    private static let addressBytes = 1...512

    /// - Throws: `rpc/invalid-argument` for an empty or too long text.
    static func check(_ signIn: RateLimitV1.EstablishedSignIn) throws(ServiceError) {
        guard accountBytes.contains(signIn.accountId.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["established.account_id"])
        }
        guard addressBytes.contains(signIn.clientAddress.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["established.client_address"])
        }
    }

    /// Records a sign-in that the gateway reports as one of an established account.
    func countEstablished(_ signIn: RateLimitV1.EstablishedSignIn, at now: Timestamp) {
        if !sites.record(signIn.accountId, at: signIn.clientAddress, at: now) { hits.sitesFull() }
    }
}
