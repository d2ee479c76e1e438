import Addresses
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-02: common passwords")
struct CommonPasswordsTests {
    private func isCommon(_ password: String) -> Bool {
        CommonPasswords.has(password.unicodeScalars)
    }

    @Test(
        "I-02: the best-known common passwords are found",
        arguments: [
            "123456", "password", "12345678", "qwerty", "123456789", "12345", "1234", "111111",
            "1234567", "dragon", "123123", "baseball", "abc123", "football", "monkey", "letmein",
            "696969", "shadow", "master", "666666", "qwertyuiop", "123321", "mustang",
            "1234567890", "michael", "654321", "superman", "1qaz2wsx", "7777777", "121212",
            "000000", "qazwsx", "123qwe", "killer", "trustno1", "jordan", "jennifer", "zxcvbnm",
            "asdfgh", "hunter", "iloveyou", "sunshine", "princess", "welcome", "admin", "starwars",
            "1q2w3e4r", "1q2w3e4r5t", "q1w2e3r4", "zaq12wsx", "qwerty123", "987654321", "112233",
            "a123456", "aa123456", "passw0rd", "p@ssw0rd", "159753", "qwe123", "asd123",
        ])
    func known(password: String) {
        #expect(isCommon(password))
    }

    @Test(
        "I-02: common passwords with the usual changes are found",
        arguments: [
            "Password1", "Password1!", "P@ssw0rd123", "Pa$$w0rd2024", "Summer2024!", "2024Summer",
            "Welcome123", "Qwerty123!", "Qwertz2023", "Azerty12345", "Abcd1234!", "Abc12345",
            "Iloveyou2", "MyPassword7", "TheDragon99", "Michael19850312", "Michael31121985",
            "Dragondragon1", "Baseball#1", "!Monkey12", "Hallo1234", "Schatz2020", "Amour2023!",
            "Aaaaaaa1", "Xyxyxyxy", "Abcabcabc", "1Q2w3e4r!", "Asdfghjkl1", "L3tm31n!", "Tr0ub13!",
            "TROUBLE7", "Test1234", "Admin@123", "Changeme1", "Liverpool05", "Pokemon151!",
        ])
    func dressed(password: String) {
        #expect(isCommon(password))
    }

    @Test(
        "I-02: an uncommon password is not found",
        arguments: [
            "Correct7Horse", "Other8Password", "Owners9Password", "Brand9NewWord", "Zt3x5k7q",
            "correct horse battery staple", "Mein Hut der hat 3 Ecken", "v8Rk2-pQ7z",
            "Password83619",
            "tK9#mW2$", "Kestrel7Lantern", "gX4mbqz1", "Äpfel7Birnen", "ночь7улица", "雨の夜7つの星",
            "Summer7Lantern", "a8203746195", "qwplzmtgbk",
        ])
    func taken(password: String) {
        #expect(!isCommon(password))
    }

    @Test("I-02: an empty password does not count as common; the length rule refuses it")
    func empty() {
        #expect(!isCommon(""))
    }

    @Test("I-02: the check is fast, even for the worst case")
    func quick() {
        let worst = "1!2@" + String(repeating: "4dr@g0n", count: 17) + "1!2@3#4$5"
        for (name, password) in [("ordinary", "Correct7Horse"), ("worst", worst)] {
            let rounds = 200
            let clock = ContinuousClock()
            let took = clock.measure { for _ in 0..<rounds { _ = isCommon(password) } }
            print("I-02: an \(name) password takes \(took / rounds) to look through")
            // An optimised build needs a hundredth. The bound allows for a debug build on a busy
            // machine.
            #expect(took / rounds < .milliseconds(50))
        }
    }
}

@Suite("I-02: passwords made of the account's own words")
struct PasswordContextTests {
    private let context = PasswordContext(
        address: EmailAddress("ada.lovelace@analytical-engine.example"),
        displayName: "Ada King", app: "Track Log")

    @Test(
        "I-02: a password built from the address, the name or the app's name is refused",
        arguments: [
            "Lovelace1815", "AdaLovelace1", "adalovelace!", "L0vel@ce99", "Analytical2024",
            "EngineEngine7", "AdaKing123", "Tracklog2024!", "TrackLog#77", "ada.lovelace1",
            "xLovelacex1", "KingPassword1",
        ])
    func refused(password: String) throws {
        #expect(context.explains(password.unicodeScalars))
        #expect(try broken(by: password).contains(.context))
    }

    @Test(
        "I-02: a password with an own word and enough other text is accepted",
        arguments: [
            "Ada keeps 9 bees", "Correct7Horse", "Kestrel7Lantern", "Tracks9Badger7", "Zt3x5k7q",
        ])
    func taken(password: String) throws {
        #expect(!context.explains(password.unicodeScalars))
        #expect(try broken(by: password) == [])
    }

    private func broken(by password: String) throws -> [PasswordRule] {
        let entered = try #require(Password(entered: .init(text: password)))
        return PasswordPolicy.document.broken(by: entered, context)
    }

    @Test("I-02: words of two letters, and an empty context, match nothing")
    func short() {
        let short = PasswordContext(
            address: EmailAddress("jo@x1.example"), displayName: "", app: "")
        #expect(!short.explains("Jo3x5k7qZ".unicodeScalars))
        #expect(!PasswordContext.none.explains("Password1".unicodeScalars))
    }
}
