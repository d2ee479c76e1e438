import Contracts
import Messages

/// `postern.gateway.v1.DataExports`: an archive of all data of the caller's account (G-21).
/// Identity serves all but `requestDataExport`, which orders it.
struct DataExportsHandler: DataExportsService {
    let exports: any AccountExportsAPI
    /// What identity serves of the public service: it says whether there is an export already.
    let existing: any DataExportsAPI
    let tokens: TokenAccounts
    let limits: RateLimiter
}
