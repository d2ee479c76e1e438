import ServiceRuntime
import Testing

@testable import IdentityService

private func holder(_ key: Int64, _ status: AccountStatus = .active) -> AccountHolder {
    guard let account = AccountID(key: key) else { preconditionFailure("a test's key is positive") }
    return AccountHolder(account: account, status: status)
}

private let known = holder(1)
private let owner = holder(2)
private let guest = holder(3)

private func owned(
    _ status: AccountStatus = .active, isProved: Bool, hasThisMethod: Bool = false,
    wasRemoved: Bool = false
) -> LinkingRule.AddressOwner {
    LinkingRule.AddressOwner(
        holder: holder(2, status), isProved: isProved, hasThisMethod: hasThisMethod,
        wasRemoved: wasRemoved)
}

/// One row of the truth table.
private struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let linking: LinkingRule.Case
    let decision: LinkingRule.Decision

    init(
        _ name: String, guest: AccountHolder? = nil, known: AccountHolder? = nil,
        email: LinkingRule.EmailClaim = .none, owner: LinkingRule.AddressOwner? = nil,
        _ decision: LinkingRule.Decision
    ) {
        testDescription = name
        linking = LinkingRule.Case(guest: guest, known: known, email: email, owner: owner)
        self.decision = decision
    }
}

/// Every case in which no session or a guest asks and the identity is unknown.
private let unknownRows: [Row] = [
    Row("no email: an account without an address", .create(ownsAddress: false)),
    Row(
        "no email, a guest asks: upgrade without an address", guest: guest,
        .upgrade(guest.account, ownsAddress: false)),
    Row(
        "unverified: as no email, the address is not taken", email: .unverified,
        .create(ownsAddress: false)),
    Row(
        "unverified, the address has a proved owner: no link", email: .unverified,
        owner: owned(isProved: true), .create(ownsAddress: false)),
    Row(
        "unverified, the address has an unproved owner: no takeover", email: .unverified,
        owner: owned(isProved: false), .create(ownsAddress: false)),
    Row(
        "unverified, a guest asks: upgrade without an address", guest: guest,
        email: .unverified,
        owner: owned(isProved: true), .upgrade(guest.account, ownsAddress: false)),
    Row("verified, free: an account that owns it", email: .verified, .create(ownsAddress: true)),
    Row("relay, free: an account that owns it", email: .relay, .create(ownsAddress: true)),
    Row(
        "verified, free, a guest asks: upgrade with the address", guest: guest, email: .verified,
        .upgrade(guest.account, ownsAddress: true)),
    Row(
        "relay, free, a guest asks: upgrade with the address", guest: guest, email: .relay,
        .upgrade(guest.account, ownsAddress: true)),
    Row(
        "verified, owned and proved: link", email: .verified, owner: owned(isProved: true),
        .link(owner.account)),
    Row(
        "relay, owned and proved: link", email: .relay, owner: owned(isProved: true),
        .link(owner.account)),
    Row(
        "verified, owned and proved, a guest asks: link to the owner", guest: guest,
        email: .verified,
        owner: owned(isProved: true), .link(owner.account)),
    Row(
        "verified, proved owner with another subject of this provider: refuse", email: .verified,
        owner: owned(isProved: true, hasThisMethod: true), .refuse(.emailAlreadyInUse)),
    Row(
        "verified, proved owner who unlinked this identity: refuse", email: .verified,
        owner: owned(isProved: true, wasRemoved: true), .refuse(.emailAlreadyInUse)),
    Row(
        "relay, proved owner who unlinked this identity, a guest asks: refuse", guest: guest,
        email: .relay, owner: owned(isProved: true, wasRemoved: true),
        .refuse(.emailAlreadyInUse)),
    Row(
        "verified, unproved owner who unlinked this identity: take over", email: .verified,
        owner: owned(isProved: false, wasRemoved: true), .takeOver(owner.account)),
    Row(
        "verified, owned and unproved: take over", email: .verified, owner: owned(isProved: false),
        .takeOver(owner.account)),
    Row(
        "relay, owned and unproved: take over", email: .relay, owner: owned(isProved: false),
        .takeOver(owner.account)),
    Row(
        "verified, unproved owner with another subject of this provider: take over",
        email: .verified, owner: owned(isProved: false, hasThisMethod: true),
        .takeOver(owner.account)),
    Row(
        "verified, owned and unproved, a guest asks: take over", guest: guest, email: .verified,
        owner: owned(isProved: false), .takeOver(owner.account)),
]

/// Statuses of the address's owner and of the identity's holder.
private let stateRows: [Row] =
    [AccountStatus.suspended, .deleting].flatMap { status in
        [true, false].map { isProved in
            Row(
                "the owner is \(status), proved \(isProved): refused", email: .verified,
                owner: owned(status, isProved: isProved), .refuse(.accountDisabled))
        } + [
            Row(
                "known, \(status): refused", known: holder(1, status), .refuse(.accountDisabled)),
            Row(
                "known, \(status), a guest asks: refused", guest: guest,
                known: holder(1, status), email: .verified, .refuse(.accountDisabled)),
            Row(
                "a guest that is \(status) asks: refused", guest: holder(3, status),
                email: .verified, .refuse(.accountDisabled)),
        ]
    } + [
        Row(
            "the owner awaits verification of its address: take over", email: .verified,
            owner: owned(.pendingVerification, isProved: false), .takeOver(owner.account)),
        Row(
            "the owner awaits verification, its address is proved: refuse", email: .verified,
            owner: owned(.pendingVerification, isProved: true), .refuse(.emailNotVerified)),
        Row(
            "known, awaits verification of its address: refuse",
            known: holder(1, .pendingVerification), email: .verified, .refuse(.emailNotVerified)),
    ]

/// If the identity is known, the email has no effect.
private let knownRows: [Row] = LinkingRule.EmailClaim.allCases.flatMap { email in
    [
        Row("known, \(email): sign in", known: known, email: email, .signIn(known.account)),
        Row(
            "known, \(email), a guest asks: sign in", guest: guest, known: known, email: email,
            .signIn(known.account)),
        Row(
            "known, \(email), another account owns the address: sign in", known: known,
            email: email,
            owner: owned(isProved: true), .signIn(known.account)),
    ]
}

@Suite("X-04: the truth table of account linking")
struct LinkingRuleTests {
    @Test("X-04: an unknown identity follows the truth table", arguments: unknownRows)
    fileprivate func unknown(row: Row) {
        #expect(LinkingRule.decision(for: row.linking) == row.decision)
    }

    @Test("G-15: the accounts' statuses follow the truth table", arguments: stateRows)
    fileprivate func states(row: Row) {
        #expect(LinkingRule.decision(for: row.linking) == row.decision)
    }

    @Test("G-04: a known identity follows the truth table", arguments: knownRows)
    fileprivate func knownIdentity(row: Row) {
        #expect(LinkingRule.decision(for: row.linking) == row.decision)
    }

    @Test("X-04: without a verified email no decision leads to the account that owns the address")
    func onlyProofs() {
        for email in [LinkingRule.EmailClaim.none, .unverified] {
            for caller in [nil, guest] {
                for owner in [nil, owned(isProved: true), owned(isProved: false)] {
                    let decision = LinkingRule.decision(
                        for: LinkingRule.Case(guest: caller, email: email, owner: owner))
                    switch decision {
                    case .create(false), .upgrade(guest.account, false): break
                    default: Issue.record("\(email): \(decision)")
                    }
                }
            }
        }
    }

    @Test("X-04: an unproved owner is never linked to")
    func neverLinked() {
        for email in LinkingRule.EmailClaim.allCases {
            for caller in [nil, guest] {
                for status in [
                    AccountStatus.active, .suspended, .pendingVerification, .deleting,
                ] {
                    let decision = LinkingRule.decision(
                        for: LinkingRule.Case(
                            guest: caller, email: email,
                            owner: owned(status, isProved: false)))
                    if case .link = decision {
                        Issue.record("\(email), guest: \(caller != nil), \(status)")
                    }
                }
            }
        }
    }
}
