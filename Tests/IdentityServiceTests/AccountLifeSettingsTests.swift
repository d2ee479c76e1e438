import ServiceRuntime
import TestSupport
import Testing

@testable import AccountLife

@Suite("The settings for the life of accounts")
struct AccountLifeSettingsTests {
    private func load(
        _ environment: [String: String]
    ) -> SettingsLoader.Outcome<AccountLifeSettings> {
        SettingsLoader(
            program: "postern-identity", summary: "", arguments: [], environment: environment
        ).load(AccountLifeSettings.self)
    }

    @Test("the defaults are valid")
    func defaults() throws {
        let settings: AccountLifeSettings = try SettingsLoader.settings()
        #expect(settings.accountAdmins.isEmpty)
        #expect(settings.deletion.wait == .seconds(7 * 86_400))
        #expect(settings.guestKept == .seconds(180 * 86_400))
    }

    @Test("G-20: tombstones are kept for two years, or as long as backups are")
    func tombstonesKept() throws {
        let standard: AccountLifeSettings = try SettingsLoader.settings()
        #expect(standard.tombstonesKept == .seconds(730 * 86_400))
        for (text, kept) in [("30d", Duration.seconds(30 * 86_400)), ("forever", nil)] {
            let settings: AccountLifeSettings = try SettingsLoader.settings(environment: [
                "POSTERN_TOMBSTONES_KEPT": text
            ])
            #expect(settings.tombstonesKept == kept)
        }
    }

    @Test("I-04: guests are kept for some days, or for ever")
    func guestKept() throws {
        for (text, kept) in [("30d", Duration.seconds(30 * 86_400)), ("forever", nil)] {
            let settings: AccountLifeSettings = try SettingsLoader.settings(environment: [
                "POSTERN_GUEST_KEPT": text
            ])
            #expect(settings.guestKept == kept)
        }
    }

    @Test(
        "an invalid value of each setting is refused",
        arguments: [
            ("POSTERN_ACCOUNT_ADMINS", "web"), ("POSTERN_DELETION_WAIT", "31d"),
            ("POSTERN_TOMBSTONES_KEPT", "29d"), ("POSTERN_GUEST_KEPT", "23h"),
            ("POSTERN_GUEST_KEPT", "Forever"), ("POSTERN_GUEST_KEPT", "3651d"),
            ("POSTERN_GUEST_KEPT", "0"),
        ])
    func refused(name: String, value: String) {
        guard case .exit(_, let code) = load([name: value]) else {
            Issue.record("\(value) is taken")
            return
        }
        #expect(code != 0)
    }
}
