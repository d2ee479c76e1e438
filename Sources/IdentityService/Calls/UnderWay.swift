import ServiceRuntime
import Storage

extension Transaction {
    /// Makes void what is under way by an account: links and codes that are out, and an address that
    /// waits for its link. Whoever adds such a thing adds its line here.
    func voidWhatIsUnderWay(of account: AccountID) throws {
        try removeLinks(of: account)
        try removePhoneCodes(of: account)
        try cancelPendingChanges(of: account)
    }
}
