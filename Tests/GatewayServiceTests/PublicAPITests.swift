import Messages
import Testing

@Suite("The messages of the public API and those of the inner services")
struct PublicAPITests {
    @Test("enums that are converted by their numbers have the same values")
    func enums() {
        for number in Int32(0)...32 {
            #expect(
                "\(GatewayV1.AccountStatus(rawValue: number))"
                    == "\(IdentityV1.AccountStatus(rawValue: number))")
            #expect(
                "\(GatewayV1.RequiredAction(rawValue: number))"
                    == "\(IdentityV1.RequiredAction(rawValue: number))")
            #expect(
                "\(GatewayV1.PasswordStrength(rawValue: number))"
                    == "\(IdentityV1.PasswordStrength(rawValue: number))")
            #expect(
                "\(GatewayV1.GuestDataChoice(rawValue: number))"
                    == "\(IdentityV1.GuestDataChoice(rawValue: number))")
            #expect(
                "\(GatewayV1.MigrationState(rawValue: number))"
                    == "\(IdentityV1.MigrationState(rawValue: number))")
            #expect(
                "\(GatewayV1.DocumentOwner(rawValue: number))"
                    == "\(IdentityV1.DocumentOwner(rawValue: number))")
            #expect(
                "\(GatewayV1.EndReason(rawValue: number))"
                    == "\(SessionV1.EndReason(rawValue: number))")
            #expect(
                "\(GatewayV1.DeviceKeyKind(rawValue: number))"
                    == "\(SessionV1.DeviceKeyKind(rawValue: number))")
        }
    }
}
