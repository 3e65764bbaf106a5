//! Identities of shards, and the checks of a list of them (H1).

use quadrille_journal::{RoomKey, Storage, StorageError};

/// Shards of one storage. Each has a connection for commits and two for reading.
pub const SHARDS_MAX: usize = 64;

/// Property of each shard: its identity.
const SHARD: &str = "shard";
/// Property of each shard: the identity of the first one.
const CLUSTER: &str = "cluster";
/// Property of the first shard: the identities of all, in the order in which they were added, with spaces.
const MEMBERS: &str = "shards";

/// New rooms of a shard have numbers from its position, shifted by so many bits. Numbers have 53.
const NUMBER_BITS: u32 = 44;

/// A storage among several.
pub struct Shard {
    /// The identity, which is stored in it.
    pub id: String,
    /// What people call it, such as the address of the database without a password.
    pub address: String,
    /// Its position in the order in which shards were added.
    pub position: usize,
    pub storage: Box<dyn Storage>,
}

/// Gives each storage of a list its identity, and checks that they belong together.
///
/// # Errors
/// `Engine` with a message that names the storage that does not belong to the list.
pub fn join(list: Vec<(String, Box<dyn Storage>)>) -> Result<Vec<Shard>, StorageError> {
    if list.is_empty() || list.len() > SHARDS_MAX {
        return Err(refused(format!("{} databases are named; 1 to {SHARDS_MAX} can be", list.len())));
    }
    let mut shards: Vec<Shard> = Vec::new();
    for (address, mut storage) in list {
        let id = match storage.property(SHARD)? {
            Some(id) => id,
            None => storage.put_property(SHARD, &random_id())?,
        };
        if let Some(same) = shards.iter().find(|shard| shard.id == id) {
            let other = &same.address;
            return Err(refused(format!(
                "{address} has the identity of {other}: they are the same database, or one is a copy of the other"
            )));
        }
        shards.push(Shard { id, address, position: 0, storage });
    }
    let cluster = shards[0].id.clone();
    for (index, shard) in shards.iter_mut().enumerate() {
        match shard.storage.property(CLUSTER)? {
            Some(found) if found == cluster => {}
            Some(found) if index == 0 => {
                return Err(refused(format!(
                    "{} is not the first of its databases: name the one with the identity {found} first",
                    shard.address
                )));
            }
            Some(found) => {
                return Err(refused(format!(
                    "{} belongs to other databases, of which the first has the identity {found}",
                    shard.address
                )));
            }
            None if index > 0 && !shard.storage.rooms_after(None, 1)?.is_empty() => {
                return Err(refused(format!(
                    "{} already has rooms of its own: only an empty database can be added to a list",
                    shard.address
                )));
            }
            None => {}
        }
    }
    let members = shards[0].storage.property(MEMBERS)?.unwrap_or_else(|| cluster.clone());
    let mut members: Vec<String> = members.split(' ').map(str::to_owned).collect();
    if let Some(missing) = members.iter().find(|member| !shards.iter().any(|shard| shard.id == **member)) {
        return Err(refused(format!(
            "the database with the identity {missing} is missing in the list: rooms are in it"
        )));
    }
    let known = members.len();
    for shard in &mut shards {
        if !members.contains(&shard.id) {
            members.push(shard.id.clone());
        }
        shard.position = members.iter().position(|member| *member == shard.id).unwrap_or(0);
        if shard.storage.put_property(CLUSTER, &cluster)? != cluster {
            return Err(refused(format!("{} was added to other databases meanwhile", shard.address)));
        }
        shard.storage.reserve_keys(RoomKey((shard.position as u64) << NUMBER_BITS))?;
    }
    if members.len() > known || known == 1 {
        shards[0].storage.set_property(MEMBERS, Some(&members.join(" ")))?;
    }
    Ok(shards)
}

/// Whether a storage belongs to a list, even if it is the only one in it.
///
/// # Errors
/// Those of the storage.
pub fn is_member(storage: &mut dyn Storage) -> Result<bool, StorageError> {
    Ok(storage.property(CLUSTER)?.is_some())
}

/// Checks that a storage that is used alone is not one of several.
///
/// # Errors
/// `Engine` when others belong to it.
pub fn check_alone(address: &str, storage: &mut dyn Storage) -> Result<(), StorageError> {
    let Some(cluster) = storage.property(CLUSTER)? else { return Ok(()) };
    let members = storage.property(MEMBERS)?.unwrap_or_default();
    if storage.property(SHARD)?.as_deref() == Some(&cluster) && members.split(' ').count() <= 1 {
        return Ok(());
    }
    Err(refused(format!("{address} is one of several databases: name all of them in `storage`")))
}

/// An error of the list.
pub fn refused(reason: String) -> StorageError {
    StorageError::Engine { reason }
}

fn random_id() -> String {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the operating system provides random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
