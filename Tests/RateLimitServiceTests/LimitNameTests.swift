import Contracts
import Testing

@testable import RateLimitService

@Suite("R-03: the limits are a fixed table")
struct LimitNameTests {
    struct Row: Sendable {
        let limit: LimitName
        let name: String
        let number: UInt16
        let rule: LimitRule
        let isDurable: Bool
    }

    private static func row(
        _ limit: LimitName, _ name: String, _ number: UInt16, _ rule: LimitRule,
        isDurable: Bool = true
    ) -> Row {
        Row(
            limit: limit, name: name, number: number, rule: rule, isDurable: isDurable)
    }

    private static func ring(_ count: Int, _ minutes: Int) -> LimitRule {
        .slidingWindow(count: count, window: .seconds(minutes * 60))
    }

    /// What is on disk and on the wire, and how much is allowed. Numbers never change.
    private static let table = [
        row(.failedSignInByDevice, "failed-sign-in-by-device", 1, ring(5, 15)),
        row(.failedSignInByAddress, "failed-sign-in-by-address", 2, ring(50, 15)),
        row(.failedSignInByAccount, "failed-sign-in-by-account", 3, ring(5, 15)),
        row(.signUpByAddress, "sign-up-by-address", 4, ring(3, 60)),
        row(.signUpOnTakenEmail, "sign-up-on-taken-email", 5, ring(3, 60)),
        row(
            .unaddressedByApplication, "unaddressed-by-application", 6, ring(60, 1),
            isDurable: false),
        row(.failedSignInByKnownDevice, "failed-sign-in-by-known-device", 7, ring(5, 15)),
        row(.failedProviderByDevice, "failed-provider-by-device", 8, ring(5, 15)),
        row(.failedProviderByAddress, "failed-provider-by-address", 9, ring(50, 15)),
        row(
            .phoneCodeRequest, "phone-code-request", 10,
            .escalatingDelay(
                delays: [0, 60, 300, 900, 1_800].map { .seconds($0) }, quiet: .seconds(86_400),
                perDay: 10)),
        row(.phoneCodeByAddress, "phone-code-by-address", 11, ring(20, 60)),
        row(.phoneCodeByBlock, "phone-code-by-block", 12, ring(30, 60)),
        row(
            .phoneCodeByCountry, "phone-code-by-country", 13,
            .gcra(count: 1_000, window: .seconds(3_600))),
        row(
            .phoneCodeGuess, "phone-code-guess", 14,
            .lockout(attempts: 5, lockedFor: .seconds(900), failuresMax: 100)),
        row(.verificationMailByAccount, "verification-mail-by-account", 15, ring(3, 60)),
        row(.passwordResetByEmail, "password-reset-by-email", 16, ring(3, 60)),
        row(
            .profileUpdateByAccount, "profile-update-by-account", 17, ring(10, 60),
            isDurable: false),
        row(
            .signInFailuresOverall, "sign-in-failures-overall", 18,
            .gcra(count: 500, window: .seconds(600)), isDurable: false),
        row(
            .signInWithoutHistory, "sign-in-without-history", 19, ring(4, 10),
            isDurable: false),
        row(.knownDevice, "known-device", 20, ring(1, 129_600), isDurable: false),
        row(
            .newDeviceByAccount, "new-device-by-account", 21, ring(10, 1_440),
            isDurable: false),
        row(.failedProviderByAccount, "failed-provider-by-account", 22, ring(5, 15)),
        row(
            .failedProviderByKnownDevice, "failed-provider-by-known-device", 23, ring(5, 15)),
        row(
            .phoneCodeGuessByKnownDevice, "phone-code-guess-by-known-device", 24,
            .lockout(attempts: 5, lockedFor: .seconds(900), failuresMax: 100)),
        row(.guestSignUpByAddress, "guest-sign-up-by-address", 25, ring(30, 60)),
        row(.failedSignInBySite, "failed-sign-in-by-site", 26, ring(64, 15)),
        row(
            .failedSignInInARow, "failed-sign-in-in-a-row", 27,
            .lockout(attempts: 100, lockedFor: .seconds(900), failuresMax: 100)),
        row(.phoneCodeFirstGuess, "phone-code-first-guess", 28, ring(1, 60)),
        row(.phoneCodeGuessByAddress, "phone-code-guess-by-address", 29, ring(50, 15)),
        row(.passwordResetByAddress, "password-reset-by-address", 30, ring(20, 60)),
        row(.mailByTarget, "mail-by-target", 31, ring(5, 60)),
        row(
            .signInFailuresBySite, "sign-in-failures-by-site", 32, ring(10, 10),
            isDurable: false),
        row(
            .signInWithoutHistoryBySite, "sign-in-without-history-by-site", 33, ring(1, 10),
            isDurable: false),
        row(
            .devicesForgotten, "devices-forgotten", 34, ring(1, 129_600), isDurable: false),
        row(
            .newSubjectsBySite, "new-subjects-by-site", 35,
            .gcra(count: 1_000, window: .seconds(3_600)), isDurable: false),
        row(
            .newSubjectsByApplication, "new-subjects-by-application", 36,
            .gcra(count: 60_000, window: .seconds(3_600)), isDurable: false),
        row(
            .passwordCheckByAddress, "password-check-by-address", 37, ring(60, 1),
            isDurable: false),
        row(
            .newAccountByApp, "new-account-by-app", 38,
            .gcra(count: 10_000, window: .seconds(3_600)), isDurable: false),
        row(
            .documentWriteByAccount, "document-write-by-account", 39, ring(60, 1),
            isDurable: false),
        row(
            .guestBundleByAccount, "guest-bundle-by-account", 40, ring(5, 60),
            isDurable: false),
        row(.deletionLinkByEmail, "deletion-link-by-email", 41, ring(3, 60)),
        row(.parentalMailByAccount, "parental-mail-by-account", 42, ring(3, 24 * 60)),
        row(
            .exportByAccount, "export-by-account", 43, ring(3, 1_440), isDurable: false),
        row(.deletionByAccount, "deletion-by-account", 44, ring(3, 60)),
        row(
            .documentWorkByAccount, "document-work-by-account", 45,
            .gcra(count: 480, window: .seconds(60)), isDurable: false),
        row(
            .signInByAccount, "sign-in-by-account", 46,
            .gcra(count: 240, window: .seconds(86_400)), isDurable: false),
    ]

    @Test("R-03: each limit has its name, number, rule and durability", arguments: table)
    func fixed(row: Row) {
        let definition = row.limit.definition
        #expect(definition.limit == row.limit)
        #expect(row.limit.rawValue == row.name)
        #expect(LimitName(rawValue: row.name) == row.limit)
        #expect(row.limit.number == row.number)
        #expect(row.limit.rule == row.rule)
        #expect(definition.isDurable == row.isDurable)
        #expect(row.rule.flaw == nil)
        #expect(LimitName(number: row.number) == row.limit)
    }

    @Test("R-03: every limit is in the table, and no two share a number")
    func complete() {
        #expect(Self.table.map(\.limit) == Self.table.sorted { $0.number < $1.number }.map(\.limit))
        #expect(Set(Self.table.map(\.limit)) == Set(LimitName.allCases))
        #expect(Set(LimitName.allCases.map(\.number)).count == LimitName.allCases.count)
    }

    @Test("R-06: a number or name that this version does not know is not a limit")
    func unknown() {
        for number: UInt16 in [0, 100, .max] { #expect(LimitName(number: number) == nil) }
        for name in ["", "known-devicf", "known-device-", String(repeating: "a", count: 100)] {
            #expect(LimitName(rawValue: name) == nil)
        }
    }
}
