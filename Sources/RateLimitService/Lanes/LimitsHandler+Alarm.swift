import Contracts
import ServiceRuntime
import Synchronization

/// How the detector learns of attempts: by the charges of sign-ins from devices that the account
/// does not know. The plan of each has its site's count, `sign-in-failures-by-site`.
///
///     the attempt is                         its site's count   the detector
///     charged                                charged            records it as evaluated
///     refused, by the alarm's limits         charged with the   records it as not evaluated
///                                            address alone
///     refused, by another limit              –                  –
///     charged, and right or refunded later   refunded           takes it back
///
/// An attempt that its site's count spares, since ten are counted already, is not recorded. Neither
/// is one of unknown origin, whose plan has no such count.
extension LimitsHandler {
    /// Whether the alarm is on, so that its limits are charged.
    func isAlarmed(_ policies: LimitPolicies, at now: Timestamp) -> Bool {
        let policy = policies[.signInFailuresOverall]
        guard !policy.isShadow else { return false }
        return alarm.withLock { $0.isOn(at: now, CredentialStuffingRule(policy.rule)) }
    }

    /// Records an attempt from a device that the account does not know, and reports the alarm if
    /// this one raised it.
    func countTowardsAlarm(
        _ verdict: LimitVerdict, of plan: ChargePlan, at now: Timestamp
    ) async {
        if verdict.isLimited {
            guard plan.limits[verdict.deciding].isOfAlarm else { return }
            let refused = plan.byAddress
            guard !refused.requests.isEmpty,
                refused.isCountedTowardsAlarm(apply(.consume, refused, at: now))
            else { return }
        } else {
            guard plan.isCountedTowardsAlarm(verdict) else { return }
        }
        let rule = CredentialStuffingRule(policies.value[.signInFailuresOverall].rule)
        let isRaised = alarm.withLock {
            $0.record(at: now, isEvaluated: !verdict.isLimited, rule)
        }
        guard isRaised else { return }
        await hits.alarm()
    }

    /// Takes an attempt back of which the site's count is refunded.
    /// - Parameter isRight: whether the attempt was right; otherwise it does not count.
    func refundTowardsAlarm(
        chargedAt charged: Timestamp, isRight: Bool, _ policies: LimitPolicies
    ) {
        let rule = CredentialStuffingRule(policies[.signInFailuresOverall].rule)
        alarm.withLock { $0.refund(chargedAt: charged, isRight: isRight, rule) }
    }
}

extension ChargePlan {
    /// Whether the verdict charged the attempt to its site's count towards the alarm.
    func isCountedTowardsAlarm(_ verdict: LimitVerdict) -> Bool {
        guard let requestIndex = limits.firstIndex(of: .signInFailuresBySite) else { return false }
        return !verdict.isLimited && !verdict.isStale
            && !verdict.isSpared(requestIndex)
    }
}

extension LimitName {
    /// Whether it refuses because of the alarm.
    fileprivate var isOfAlarm: Bool {
        self == .signInWithoutHistory || self == .signInWithoutHistoryBySite
    }
}
