import ServiceRuntime
import Storage

extension Transaction {
    /// Makes everything pending of an account void: links and codes that were sent, and addresses
    /// that wait for verification. A new kind of pending state must be added here.
    func voidWhatIsUnderWay(of account: AccountID) throws {
        try removeLinks(of: account)
        try removePhoneCodes(of: account)
        try cancelPendingChanges(of: account)
    }
}
