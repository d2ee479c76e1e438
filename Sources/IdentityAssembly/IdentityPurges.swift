import IdentityService
import PersonalData
import Storage

extension IdentityTables {
    /// The tables of identity's store whose rows expire.
    static let purges = IdentityService.purges + PersonalData.purges
}
